import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sampleCases } from '#test/support/count-cases.ts'

const root = join(import.meta.dirname, '../..')

const run = (script: string, ...args: string[]) =>
  new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [script, ...args], { cwd: root }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })

const commands = [
  ['token', 'dev/sandbox/print-token.ts', 1, ['--account ID']],
  ['traffic', 'dev/sandbox/traffic/main.ts', 1, ['--rate COUNT', '--url URL']],
  ['start', 'dev/start.ts', 1, ['--logs']],
  ['worker', 'dev/worker/main.ts', 1, ['--logs']],
  ['check', 'dev/tools/check.ts', 2, ['--route LABEL']],
  ['jobs', 'bin/jobs.ts', 1, ['[redrive]', '--queue NAME']],
  ['screenshots', 'dev/tools/screenshots/take-screenshots.ts', 1, ['CHROMIUM_PATH']],
  ['routes', 'bin/routes.ts', 2, ['list', 'ramp LABEL PERCENT', 'Exit codes:']],
  ['contract', 'dev/contract/contract.ts', 2, ['--area AREA', '--out DIRECTORY', 'exit codes:']],
  ['parity', 'dev/contract/parity.ts', 2, ['--native URL', '--core URL', '--yes  ', 'PARITY_TOKEN_A']],
  ['reconcile', 'bin/reconcile.ts', 1, ['--apply ']],
  ['migrate', 'bin/migrate.ts', 1, ['--check', '--baseline']],
  ['bench', 'dev/bench/run.ts', 1, ['webhooks', '--rounds COUNT', '--profile FOLDER']],
] as const

// Only a sample, because each command loads most of the code before it parses its arguments.
describe.each(sampleCases(commands, 0.15))('npm run %s', (name, script, errorCode, flags) => {
  const expected = [`usage: npm run ${name} -- `, ...flags, '--help']

  it('prints a description, an example and its flags for --help', async () => {
    const { code, stdout, stderr } = await run(script, '--help')
    expect([code, stderr]).toEqual([0, ''])
    for (const flag of expected) expect(stdout).toContain(flag)
    const [does, example, usage] = stdout.split('\n')
    expect(does).toMatch(/^[A-Z][^\n]+\.$/)
    expect(example).toMatch(
      name === 'screenshots' ? /^example: npm run screenshots$/ : `example: npm run ${name} -- `,
    )
    expect(usage).toMatch(/^usage: /)
  })

  it('exits with an error and lists its flags if given an unknown flag', async () => {
    const { code, stdout, stderr } = await run(script, '--bogus')
    expect([code, stdout]).toEqual([errorCode, ''])
    expect(stderr).toMatch(new RegExp(`^${name}: Unknown option '--bogus'\n`))
    for (const flag of expected) expect(stderr).toContain(flag)
  })
})
