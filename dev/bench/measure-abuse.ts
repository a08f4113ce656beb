import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Bench } from './open-bench.ts'
import { table } from './tables.ts'

interface AbuseFigures {
  readonly clients: string
  /** Responses to a well-behaved client. The test fails if one of that client's requests does. */
  readonly probeResponses: number
  /** The well-behaved client's failed requests, in tests that allow some. */
  readonly failures?: number
  readonly p99Ms?: number
  readonly slowestMs?: number
  readonly now: number
  readonly peak: number
}

const root = join(import.meta.dirname, '../..')

const testFiles = ['test/http/abuse.test.ts', 'test/http/floods.test.ts', 'test/http/shared-capacity.test.ts']

// The tests write these lines.
const parseFigures = (line: string) => JSON.parse(line) as AbuseFigures

/**
 * Runs the abuse tests with thousands of clients and resolves to the gateways' memory. Rejects if one exits, fails a
 * well-behaved client's request or fails a request while it drains.
 */
export const measureAbuse = async ({ folder }: Bench): Promise<string> => {
  const report = join(folder, 'abuse.jsonl')
  const allCores = `0-${availableParallelism() - 1}`
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...testFiles]
  const tests = spawn('taskset', ['--cpu-list', allCores, process.execPath, ...vitest], {
    cwd: root,
    env: { ...process.env, ABUSE_REPORT: report },
    stdio: ['ignore', process.stderr, process.stderr],
  })
  const [exitCode] = await once(tests, 'exit')
  if (exitCode !== 0) throw new Error('the abuse tests failed')
  const lines = (await readFile(report, 'utf8')).trim().split('\n')
  return table(
    [
      'every test passed',
      'responses to other clients',
      'failed',
      'p99 ms',
      'slowest ms',
      'peak MB',
      'MB afterwards',
    ],
    lines
      .map(parseFigures)
      .map(({ clients, probeResponses, failures = 0, p99Ms, slowestMs, peak, now }) => [
        clients,
        String(probeResponses),
        String(failures),
        p99Ms?.toFixed(0) ?? '',
        slowestMs?.toFixed(0) ?? '',
        peak.toFixed(0),
        now.toFixed(0),
      ]),
  )
}
