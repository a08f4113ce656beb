/**
 * The programs of the bundle for Node by the name of their file. `shared/run-time-files.bundle.ts` names those that others
 * start.
 */
export const nodePrograms = {
  server: 'gateway/server.ts',
  jobs: 'gateway/jobs.ts',
  migrate: 'gateway/migrate.ts',
  reconcile: 'gateway/reconcile.ts',
  routes: 'gateway/start/routes/main.ts',
  'analysis-child': 'jobs/analysis/child.ts',
  'comparison-child': 'gateway/shadow/comparison-child.ts',
  'watch-parent': 'gateway/shadow/watch-parent.ts',
}
