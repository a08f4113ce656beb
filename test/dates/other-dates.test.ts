import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { childEnvironment } from '#test/support/child-environment.ts'
import { isInstalledOrSkipped } from '#test/support/installed-programs.ts'
import { shiftClockTo } from '#test/support/shifted-clock.ts'
import { excludedTests, listClockTests } from './list-clock-tests.ts'

const root = join(import.meta.dirname, '../..')
const isInstalled = isInstalledOrSkipped('faketime', 'the tests on other dates')

// Runs that start shortly before midnight or a clock change last beyond it, so some tests run across it.
const dates = [
  ['31 January', '2027-01-31T12:00:00Z', 'UTC'],
  ['28 February, before 1 March', '2027-02-28T23:59:30Z', 'UTC'],
  ['29 February', '2028-02-29T12:00:00Z', 'UTC'],
  ['1 March', '2027-03-01T00:00:05Z', 'UTC'],
  ['the start of summer time', '2027-03-28T00:59:30Z', 'Europe/Berlin'],
  ['the end of summer time', '2027-10-31T00:59:30Z', 'Europe/Berlin'],
  ['31 December, before midnight', '2027-12-31T23:59:30Z', 'UTC'],
  // In UTC, this is 30 June.
  ['1 July in another time zone', '2027-06-30T22:30:00Z', 'Europe/Berlin'],
] as const

interface Report {
  readonly success: boolean
  readonly numPassedTests: number
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

const failuresOf = ({ testResults }: Report) =>
  testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message ? [`${name}: ${message}`] : []),
    ...assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => `${name}: ${fullName}: ${failureMessages.join('\n')}`),
  ])

const runTests = async (files: readonly string[], start: string, zone: string): Promise<Report> => {
  const folder = await mkdtemp(join(tmpdir(), 'crossfade-dates-'))
  const outputFile = join(folder, 'report.json')
  try {
    const child = spawn(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--reporter=json', `--outputFile=${outputFile}`, ...files],
      {
        cwd: root,
        env: { ...childEnvironment(), HOME: process.env.HOME, TZ: zone, ...shiftClockTo(start) },
        stdio: 'ignore',
      },
    )
    await once(child, 'exit')
    return JSON.parse(await readFile(outputFile, 'utf8'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

describe('the tests that read the clock', () => {
  it('include every test in excludedTests, so no exclusion is outdated', () => {
    const files = listClockTests()
    expect(files).toContain('test/migration/api/report-agreement.test.ts')
    expect(Object.keys(excludedTests).filter((file) => !files.includes(file))).toEqual([])
  })

  it.skipIf(!isInstalled).each(dates)('pass on %s', { timeout: 400_000 }, async (_, start, zone) => {
    const files = listClockTests().filter((file) => !Object.hasOwn(excludedTests, file))
    const report = await runTests(files, start, zone)
    expect(failuresOf(report)).toEqual([])
    expect(report.success).toBe(true)
    expect(report.testResults).toHaveLength(files.length)
    expect(report.numPassedTests).toBeGreaterThan(files.length)
  })
})
