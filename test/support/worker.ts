import { afterAll, beforeAll } from 'vitest'
import { bundleWorker, type WorkerBundle } from '#dev/worker/bundle-worker.ts'
import { startWorkerRuntime } from '#dev/worker/worker-runtime.ts'
import type { TestGateway } from './gateway.ts'
import { requestAt } from './request-at.ts'

export interface TestWorker {
  readonly origin: () => string
  readonly request: TestGateway['request']
  readonly logLines: () => readonly string[]
}

let bundle: Promise<WorkerBundle> | undefined

// Built once per test file, for all of its Workers.
const getBundle = () => {
  bundle ??= bundleWorker()
  return bundle
}

export const openTestWorker = async (
  { DATABASE_URL = '', ...bindings }: Readonly<Record<string, string>>,
  onLogLine: (line: string) => void,
) => {
  const { modules } = await getBundle()
  const runtime = startWorkerRuntime(modules, {
    onLogLine,
    bindings: { PUBLIC_BASE_URL: 'https://api.example', ...bindings },
    hyperdrives: { HYPERDRIVE: DATABASE_URL },
  })
  return { origin: (await runtime.ready).origin, close: () => runtime.dispose() }
}

/** Starts the bundled Workers entry beside a Node gateway, with the gateway's settings and database. */
export const startTestWorker = (
  gateway: TestGateway,
  environment: Readonly<Record<string, string>> = {},
): TestWorker => {
  const logLines: string[] = []
  let worker: Awaited<ReturnType<typeof openTestWorker>> | undefined
  const origin = () => worker?.origin ?? ''

  beforeAll(async () => {
    worker = await openTestWorker({ ...gateway.environment, ...environment }, (line) => logLines.push(line))
  }, 60_000)

  afterAll(() => worker?.close())

  return {
    origin,
    request: (...sent) => requestAt(origin(), ...sent),
    logLines: () => logLines,
  }
}
