/**
 * The programs of the bundle for Node by the name of their file. `shared/run-time-files.bundle.ts` names those that others
 * start.
 */
export const nodePrograms = {
  server: 'bin/server.ts',
  jobs: 'bin/jobs.ts',
  migrate: 'bin/migrate.ts',
  reconcile: 'bin/reconcile.ts',
  routes: 'bin/routes.ts',
  'analysis-child': 'jobs/analysis/child.ts',
  'comparison-child': 'migration/live/shadow/comparison-child.ts',
  'watch-parent': 'migration/live/shadow/watch-parent.ts',
}
