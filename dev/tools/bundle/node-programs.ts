/**
 * The programs of the Node bundle that people start, by name. Each has an entry of the same name, which first checks
 * the version of Node.
 */
export const nodePrograms = {
  server: 'bin/server.ts',
  jobs: 'bin/jobs.ts',
  migrate: 'bin/migrate.ts',
  reconcile: 'bin/reconcile.ts',
  routes: 'bin/routes.ts',
}

/** Programs that other programs start. `shared/run-time-files.bundle.ts` names their files. */
export const childPrograms = {
  'analysis-child': 'jobs/analysis/child.ts',
  'comparison-child': 'migration/shadow/comparison-child.ts',
  'watch-parent': 'migration/shadow/watch-parent.ts',
}
