import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface LoadOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly connections: number
  readonly seconds: number
}

interface LoadResult {
  /** Responses with a 2xx status. */
  readonly requests: number
  /** Connection errors, timeouts and other statuses. */
  readonly errors: number
  readonly p50Ms: number
  readonly p99Ms: number
}

const run = promisify(execFile)
const here = import.meta.dirname
const timeoutS = 10

const withWrk = async ({ url, headers, connections, seconds }: LoadOptions): Promise<LoadResult> => {
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const size = ['-t', '1', '-c', `${connections}`, '-d', `${seconds}s`, '--timeout', `${timeoutS}s`]
  const report = ['-s', join(here, 'wrk-report.lua')]
  const { stdout } = await run('wrk', [...size, ...report, ...fields, url])
  return JSON.parse(stdout.slice(stdout.lastIndexOf('{')))
}

const withAutocannon = async ({ url, headers, connections, seconds }: LoadOptions): Promise<LoadResult> => {
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`])
  const size = ['-c', `${connections}`, '-d', `${seconds}`, '-t', `${timeoutS}`]
  const command = join(here, 'peers/node_modules/autocannon/autocannon.js')
  const { stdout } = await run(process.execPath, [command, '--json', ...size, ...fields, url])
  const result = JSON.parse(stdout)
  return {
    requests: result['2xx'],
    errors: result.errors + result.non2xx,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  }
}

const hasWrk = spawnSync('wrk', ['-v']).error === undefined

/** The load generator: wrk if installed, because it takes the least CPU time, otherwise autocannon. */
export const loadGenerator = hasWrk ? 'wrk' : 'autocannon'

export const load = hasWrk ? withWrk : withAutocannon
