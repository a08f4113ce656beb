import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { productionOptions } from '#dev/bench/gateway-process.ts'
import { startProcess } from '#dev/bench/start-process.ts'
import { followLog, type LogLine } from './instance-log.ts'

const root = join(import.meta.dirname, '../../../..')
const reportStalls = join(import.meta.dirname, 'report-stalls.ts')

const faults = {
  'failing handler': join(import.meta.dirname, 'faults/failing-handler.ts'),
  'slow handler': join(import.meta.dirname, 'faults/slow-handler.ts'),
} as const
export type Fault = keyof typeof faults

interface InstanceOptions {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly fault?: Fault | undefined
  /** Defaults to this repository. */
  readonly projectFolder?: string | undefined
}

export interface Instance {
  readonly url: string
  readonly adminUrl: string
  readonly pid: number
  lines(): readonly LogLine[]
  stop(): Promise<void>
}

const logTimeoutMs = 30_000
const pollIntervalMs = 50

const waitForAdminUrl = async (readLines: () => readonly LogLine[]) => {
  const deadline = Date.now() + logTimeoutMs
  while (Date.now() < deadline) {
    const started = readLines().find(({ msg }) => msg === 'gateway started')
    if (started?.adminUrl !== undefined) return started.adminUrl
    await sleep(pollIntervalMs)
  }
  throw new Error('an instance did not log its admin address')
}

/** Rejects if the process exits before it is ready. */
export const startInstance = async ({
  folder,
  environment,
  fault,
  projectFolder = root,
}: InstanceOptions): Promise<Instance> => {
  const outputFile = join(folder, `instance-${randomUUID()}.log`)
  const preloaded = [
    join(projectFolder, 'scripts/check-node.mjs'),
    reportStalls,
    ...(fault ? [faults[fault]] : []),
  ]
  const { url, pid, stop } = await startProcess({
    command: process.execPath,
    arguments: [
      ...productionOptions,
      ...preloaded.flatMap((file) => ['--import', file]),
      join(projectFolder, 'bin/server.ts'),
    ],
    environment,
    outputFile,
  })
  const log = followLog(outputFile)
  try {
    return { url, adminUrl: await waitForAdminUrl(log.read), pid, lines: log.read, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
