import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Label } from '#contracts/route-table.ts'
import type { Deployments } from '#migration/parity/run/run-scenario.ts'
import type { Scenario } from '#migration/parity/run/scenario.ts'
import type { Side } from '#migration/parity/run/side.ts'
import { type ServerProcess, startServer } from '../../start/start-child.ts'
import { runWithHeaders } from './measure-mutant.ts'

export interface MutatedSideOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly deployments: Omit<Deployments, 'native'>
  readonly labels: ReadonlySet<Label>
  readonly workDir: string
}

export const createMutatedSide = async (
  { environment, deployments, labels, workDir }: MutatedSideOptions,
  texts: object,
) => {
  const sourcesFile = join(workDir, 'mutated-sources.json')
  await writeFile(sourcesFile, JSON.stringify(texts))
  let gateway: ServerProcess | undefined
  // The same object for all gateways, because fixtures are cached per side.
  const native: Side = {
    name: 'native',
    get origin() {
      return gateway?.url ?? ''
    },
  }
  return {
    run: (scenarios: readonly Scenario[], headers: Readonly<Record<string, string>>) =>
      runWithHeaders(scenarios, {
        deployments: { ...deployments, native },
        isCompared: (label) => labels.has(label),
        headers,
      }),
    serveDuring: async (options: Readonly<Record<string, string>>, work: () => Promise<void>) => {
      gateway = await startServer('the mutated gateway', new URL('./mutated-gateway.ts', import.meta.url), {
        ...environment,
        MUTATED_SOURCES: sourcesFile,
        ...options,
      })
      try {
        await work()
      } finally {
        await gateway.stop()
      }
    },
  }
}

export type MutatedSide = Awaited<ReturnType<typeof createMutatedSide>>

const concurrency = 4

export const workConcurrently = async <T>(next: () => T | undefined, work: (item: T) => Promise<void>) => {
  const worker = async () => {
    for (let item = next(); item !== undefined; item = next()) await work(item)
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
}
