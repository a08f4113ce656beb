import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkOutRelease, replaceMigrations } from './check-out-release.ts'

// Its tests of the code that sends queries; those of the migrations themselves expect its own.
const tests = ['test/native-routes', 'test/gateway/adapters', 'test/gateway/routing', 'test/jobs/billing']
const timeoutMs = 600_000

describe('the previous release', () => {
  let folder: string
  beforeAll(() => {
    folder = checkOutRelease()
    replaceMigrations(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  // While instances are replaced, both releases work on the schema of the newer one.
  it('passes its own tests on the schema of this one', { timeout: timeoutMs }, async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--reporter', 'json', ...tests],
      { cwd: folder, timeout: timeoutMs, maxBuffer: 200_000_000 },
    ).catch((error: { stdout: string }) => error)
    const report = JSON.parse(stdout.slice(stdout.indexOf('{"numTotalTestSuites"')))
    const failed = report.testResults
      .flatMap((file: { assertionResults: { status: string; fullName: string }[] }) => file.assertionResults)
      .filter(({ status }: { status: string }) => status === 'failed')
      .map(({ fullName }: { fullName: string }) => fullName)
    expect(failed).toEqual([])
    // Also where a file cannot be loaded, or its database not be created.
    expect(report.success).toBe(true)
    expect(report.numPassedTests).toBeGreaterThan(1000)
  })
})
