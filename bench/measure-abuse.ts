import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Bench } from './surroundings.ts'
import { table } from './tables.ts'

interface AbuseFigures {
  readonly clients: string
  /** Of a well-behaved client that asked all the while; the tests fail where one of its requests did. */
  readonly answersToTheProbe: number
  readonly now: number
  readonly peak: number
}

const root = join(import.meta.dirname, '..')

// The tests write these lines themselves.
const figuresOf = (line: string) => JSON.parse(line) as AbuseFigures

/**
 * Runs the tests of abuse with as many clients as a determined stranger has. Resolves to the memory of the gateways;
 * rejects where one of them let anybody down, ended, or failed a request while it drained.
 */
export const measureAbuse = async ({ folder }: Bench): Promise<string> => {
  const report = join(folder, 'abuse.jsonl')
  const allCores = `0-${availableParallelism() - 1}`
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'test/http/abuse.test.ts']
  const tests = spawn('taskset', ['--cpu-list', allCores, process.execPath, ...vitest], {
    cwd: root,
    env: { ...process.env, ABUSE_REPORT: report },
    stdio: ['ignore', process.stderr, process.stderr],
  })
  const [exitCode] = await once(tests, 'exit')
  if (exitCode !== 0) throw new Error('a gateway did not stand what its clients did')
  const lines = (await readFile(report, 'utf8')).trim().split('\n')
  return table(
    ['every test passed', 'requests of others answered meanwhile', 'peak MB', 'MB afterwards'],
    lines
      .map(figuresOf)
      .map(({ clients, answersToTheProbe, peak, now }) => [
        clients,
        String(answersToTheProbe),
        peak.toFixed(0),
        now.toFixed(0),
      ]),
  )
}
