import { defineConfig } from 'vitest/config'
import { isInstalledOrSkipped } from './test/support/installed-programs.ts'
import everyday, { faults, slowProofs } from './vitest.config.ts'

const { reporters: _reporters, exclude: _slow, maxWorkers: _workers, ...options } = everyday.test ?? {}

// Tests that read and write the database. The pool's tests are left out because they end connections, and the decoders'
// tests because they need no database.
const databaseTests = [
  'test/db/*.test.ts',
  'test/jobs/{billing,crashes,event-retention,import-stems,process-version,queue-fairness,sweep}.test.ts',
  'test/native-routes/**/*.test.ts',
  'test/gateway/{adapters,rate-limits}/**/*.test.ts',
]

// Tests of the server's catalog and of session behaviour on another server version. They use no pooler, or start their
// own.
const testsOfServerVersion = [
  'test/db/migrate/*.test.ts',
  'test/db/client/{connection,pooler,prepared,recovery,read-only-database,several-servers,shared-reads,stalled-transactions}.test.ts',
]

// Tests that write values of every type and read them back.
const testsOfRoundTrips = [
  'test/db/{constraints,engagement-*,track-versions}.test.ts',
  'test/jobs/{billing,event-retention,import-stems,process-version,sweep}.test.ts',
  'test/native-routes/**/*.test.ts',
]

const pooledProcesses = 'test/bin/process/pooler.test.ts'
// It starts gateways on a database of its own.
const webhookStorm = 'test/native-routes/webhooks/storm.test.ts'
// These read the statements that a gateway sends, which are prepared only without a pooler.
const testsOfPreparedStatements = 'test/native-routes/{write-statements,scopes,tracks/statements}.test.ts'

const testsWithFewerCases = [
  'access-code-limits',
  'architecture/worker-bundle',
  'billing-stripe/requests',
  'client-shares',
  'command-line',
  'parity/run/contract',
  'contracts/redaction',
  'declared-headers',
  'diff/confirm-live',
  'diff/mutations',
  'every-route',
  'every-write',
  'gateway/hostile-input',
  'http/fuzz',
  'import-stems',
  'injections/injections',
  'jobs/analysis',
  'long-lists',
  'many-instances',
  'model-text',
  'node/admin',
  'npm-start',
  'api/bad-input',
  'readiness',
  'readme',
  'sequential-test',
  'shadowed-reads',
  'webhooks/email',
  'write-answer',
]

const isPgBouncerInstalled = isInstalledOrSkipped('pgbouncer', 'the tests through a pooler')
const isPostgres15Installed = isInstalledOrSkipped('postgresql-15', 'the tests on PostgreSQL 15')

export default defineConfig({
  test: {
    reporters: process.env.CI
      ? ['default', ['json', { outputFile: process.env.REPORT ?? '.data/thorough-report.json' }]]
      : ['default'],
    // One for each core of a small machine. Unlike the everyday tests, most of these keep a core busy.
    maxWorkers: 2,
    projects: [
      {
        // The randomized tests, with all their cases, and the slow tests.
        test: {
          ...options,
          name: 'slow proofs',
          env: { ...options.env, THOROUGH: 'yes' },
          include: [...testsWithFewerCases.map((name) => `test/**/*${name}*.test.ts`), ...slowProofs],
        },
      },
      {
        test: {
          ...options,
          name: 'faults',
          include: [faults],
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      ...(isPgBouncerInstalled
        ? [
            {
              test: {
                ...options,
                name: 'pgbouncer',
                include: [...databaseTests, pooledProcesses],
                exclude: [testsOfPreparedStatements, webhookStorm],
              },
            },
            {
              // Through the pooler, on databases with settings that differ from those the code relies on.
              test: {
                ...options,
                name: 'changed-settings',
                include: testsOfRoundTrips,
                // These tests count statements, and here each statement runs in its own transaction.
                exclude: [
                  testsOfPreparedStatements,
                  webhookStorm,
                  'test/native-routes/public/statements.test.ts',
                ],
              },
            },
          ]
        : []),
      ...(isPostgres15Installed
        ? [
            {
              test: {
                ...options,
                name: 'postgresql-15',
                include: [...databaseTests, ...testsOfServerVersion],
                exclude: [webhookStorm],
              },
            },
          ]
        : []),
    ],
  },
})
