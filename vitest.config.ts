import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

/** Tests that take long because they start many processes, or compile or compare the whole project. */
export const slowProofs = [
  'test/bench/webhook-storm.test.ts',
  'test/db/client/several-servers.test.ts',
  'test/db/client/stalled-transactions.test.ts',
  'test/db/embedded.test.ts',
  'test/db/forgotten-columns.test.ts',
  'test/db/migrate/baseline.test.ts',
  'test/db/release/previous-release.test.ts',
  'test/db/release/rolling-deploy.test.ts',
  'test/gateway/comparisons/live-comparisons.test.ts',
  'test/gateway/comparisons/promotion-of-routes.test.ts',
  'test/gateway/pipeline/faults-around-writes-during-changes.test.ts',
  'test/gateway/pipeline/idempotency/killed-processes.test.ts',
  'test/gateway/process/drain.test.ts',
  'test/gateway/process/fleet.test.ts',
  'test/gateway/process/migrate.test.ts',
  'test/gateway/process/prepare-database.test.ts',
  'test/gateway/process/prepared-statements.test.ts',
  'test/gateway/process/group/several-processes.test.ts',
  'test/gateway/reconcile.test.ts',
  'test/gateway/shadow/compare.build.test.ts',
  'test/gateway/shadow/compare.database.test.ts',
  'test/gateway/shadow/compare.faults.test.ts',
  'test/gateway/shadow/compare.seeded-faults.test.ts',
  'test/gateway/shadow/supervised-child.faults.test.ts',
  'test/gateway/start/bundle.test.ts',
  'test/gateway/start/post-contract-report.test.ts',
  'test/gateway/start/routes/routes-command.test.ts',
  'test/gateway/workers/account-shares.test.ts',
  'test/gateway/workers/hostile-input.test.ts',
  'test/http/abuse.test.ts',
  'test/http/shared-capacity.test.ts',
  'test/http/transparency-streams.test.ts',
  'test/jobs/analysis.limits.test.ts',
  'test/jobs/crashes.test.ts',
  'test/migration/contract-run/parity-safety.test.ts',
  'test/migration/contract-run/parity.test.ts',
  'test/migration/reproduce/reproduced-faults.test.ts',
  'test/migration/routing/gate/simulated-promotions.test.ts',
  'test/migration/routing/shares/shares.test.ts',
  'test/migration/routing/stop/false-alarms.test.ts',
  'test/migration/seeded-faults.test.ts',
  'test/ops/alerts-of-gateways.test.ts',
  'test/ops/alerts-of-parts.test.ts',
  'test/ops/alerts-of-processes.test.ts',
  'test/pages/billing.test.ts',
  'test/pages/client.test.ts',
  'test/pages/console.test.ts',
  'test/pages/docs.test.ts',
  'test/pages/parity.test.ts',
  'test/pages/peaks.test.ts',
  'test/pages/sandbox.test.ts',
  'test/pages/share.test.ts',
  'test/pages/uploads.test.ts',
  'test/start/bundle-tour.test.ts',
  'test/start/moving-a-route.test.ts',
  'test/start/stop-during-start.test.ts',
]

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // `npm run test:thorough` runs these.
    exclude: slowProofs,
    globalSetup: ['test/support/global-setup.ts'],
    // .ci/run counts by this report.
    reporters: process.env.CI ? ['default', ['json', { outputFile: '.data/test-report.json' }]] : ['default'],
    pool: 'forks',
    // Every file brings its own database, gateway and ports; to load the modules anew for each would take most of the time.
    isolate: false,
    // The tests wait as much as they compute.
    maxWorkers: 3,
    // Of a test that starts several processes, on two cores that others use as well.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Of the processes that tests start.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
    teardownTimeout: 20_000,
  },
})
