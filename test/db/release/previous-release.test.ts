import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkOutRelease, replaceMigrations } from './check-out-release.ts'

// The release's tests of code that sends queries. Its migration tests are left out, because they expect its own
// migrations.
const tests = ['test/native-routes', 'test/gateway/adapters', 'test/gateway/routing', 'test/jobs/billing']
const timeoutMs = 600_000
// If CI were set, the release's settings would choose where the report is written.
const { CI: _, ...environment } = process.env

describe('the previous release', () => {
  let folder: string
  beforeAll(() => {
    folder = checkOutRelease()
    replaceMigrations(folder)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  // While instances are replaced, both releases work on the schema of the newer one.
  it("passes its own tests on this release's schema", { timeout: timeoutMs }, async () => {
    const reportFile = join(folder, 'report.json')
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--reporter', 'json', '--outputFile', reportFile, ...tests],
      { cwd: folder, timeout: timeoutMs, maxBuffer: 200_000_000, env: environment },
    ).catch((error: { stdout: string; stderr: string }) => error)
    // A run that times out leaves no report.
    expect(existsSync(reportFile), stdout + stderr).toBe(true)
    const report = JSON.parse(readFileSync(reportFile, 'utf8'))
    const failed = report.testResults
      .flatMap((file: { assertionResults: { status: string; fullName: string }[] }) => file.assertionResults)
      .filter(({ status }: { status: string }) => status === 'failed')
      .map(({ fullName }: { fullName: string }) => fullName)
    expect(failed).toEqual([])
    // `success` is also false if a file cannot be loaded or its database cannot be created.
    expect(report.success).toBe(true)
    expect(report.numPassedTests).toBeGreaterThan(1000)
  })
})
