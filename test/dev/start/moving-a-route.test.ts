import { spawn } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCommandBlocks, recordOutput } from './markdown-blocks.ts'
import { runProject, userEnvironment } from './run-project.ts'

const page = 'docs/moving-a-route.md'
const blocks = readCommandBlocks(page).map((block) => [block.commands.split('\n')[0], block] as const)

// Some blocks wait for an automatic stop. On a busy machine, stops can be paused for a minute, or longer while the
// database is slow.
const blockTimeoutMs = 240_000

/**
 * Removes what differs from run to run: keys, figures, times, column widths, the checks that are not met, and the
 * differences found by comparisons, which run throughout.
 */
const normalize = (output: string) =>
  output
    .replace(/^Native differs from the core: .*\n(?: {2}.*\n)*/m, '')
    .replace(/\b[0-9a-f]{32}\b/g, 'KEY')
    .replace(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'ID')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replace(/(Checks not met: contract),(?! step-time)[^.]*/g, '$1, CHECKS')
    .replace(/\(and\s+\d+\s+other\s+checks?\)/g, '(and N other checks)')
    .replace(/\n {2}(?=\S)/g, ' ')
    .replace(/\d[\d,]*/g, 'N')
    .replace(/(?:Native has served all accounts|Core usage has been recorded) for [^(]*\(/g, 'SERVED,')
    .replace(/(\S) +/g, '$1 ')
    .trim()

const collectOutput = (command: string, args: readonly string[], folder: string, timeout?: number) => {
  const child = spawn(command, args, { cwd: folder, env: userEnvironment, timeout, killSignal: 'SIGKILL' })
  const printed = new Promise<string>((resolve) => {
    let output = ''
    child.stdout.on('data', (bytes) => {
      output += bytes
    })
    child.once('close', () => resolve(output))
  })
  return { child, printed }
}

// With RECORD=yes, the outputs are written into the page instead of being compared with it:
// RECORD=yes npx vitest run --config vitest.thorough.config.ts --project 'slow proofs' moving
describe(page, () => {
  let project: Awaited<ReturnType<typeof runProject>>
  let traffic: ReturnType<typeof collectOutput>

  const run = async (commands: string) => {
    const args = ['-c', `exec 2>&1\n${commands}`]
    const printed = await collectOutput('bash', args, project.folder, blockTimeoutMs).printed
    // curl prints the carriage returns of headers, but a page has none.
    return printed.replaceAll('\r\n', '\n')
  }

  const startTraffic = () => {
    // Sends fewer requests than the page's own command, so that a busy machine keeps up with the commands under test.
    const flags = ['--url', project.url, '--rate', '20', '--seconds', '3600']
    traffic = collectOutput(process.execPath, ['dev/sandbox/traffic/main.ts', ...flags], project.folder)
  }
  const stopTraffic = () => {
    traffic.child.kill('SIGINT')
    return traffic.printed
  }

  /** Expects that no request of a client failed. The core may have served some that native could not. */
  const expectNoFailure = async () => {
    const [routes = ''] = (await stopTraffic()).split('\n\n')
    const rows = routes.trim().split('\n').slice(1)
    expect(rows.length).toBeGreaterThan(5)
    for (const row of rows) expect(row).toMatch(/^(?:tracks|packs)\.\S+ .* 0 +\d+\.\d ms$/)
  }

  // Removes the `not yet` line, which the page explains, and waits until the instance has adopted the change.
  const removeLateAdoption = async (printed: string) => {
    const withoutLine = printed.replace(/^not yet: .*\n/gm, '')
    if (withoutLine !== printed)
      await expect
        .poll(() => run('npm run -s routes -- list'), { timeout: 30_000, interval: 1000 })
        .toMatch(/^(\d+) of \1 instances? at epoch \d+$/m)
    return withoutLine
  }

  beforeAll(async () => {
    // The secret decides the accounts' buckets, which the page shows.
    project = await runProject({ GATEWAY_SECRET: 'the same secret in each run' })
    startTraffic()
  }, 90_000)
  afterAll(async () => {
    traffic.child.kill('SIGKILL')
    await project.stop()
  }, 60_000)

  it.each(blocks)('shows the real output of: %s', { timeout: blockTimeoutMs + 60_000 }, async (_, block) => {
    const printed = await removeLateAdoption(
      await run(block.commands.replaceAll('http://127.0.0.1:8787', project.url)),
    )
    if (process.env.RECORD) recordOutput(page, block, printed)
    else expect(normalize(printed)).toBe(normalize(block.output ?? ''))
    // The page asks for a restart after each change of the code.
    if (block.commands.includes('git apply')) {
      await expectNoFailure()
      await project.restart('npm start | tee -i .data/gateway.log')
      startTraffic()
    }
  })

  it('causes no failed request in the traffic that runs at the same time', expectNoFailure, 30_000)
})
