import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Label } from '#contracts/route-table.ts'
import { createMask } from '#migration/diff/mask.ts'
import { acceptedDifferences } from '#migration/parity/accepted-differences.ts'
import { createRecorder } from '#migration/parity/run/recorder.ts'
import { runScenarios } from '#migration/parity/run/run-scenarios.ts'
import type { Scenario } from '#migration/parity/run/scenario.ts'
import type { Deployments } from '#migration/parity/run/scenario-context.ts'
import type { Session } from '#migration/parity/run/session.ts'
import type { ComparedSide } from '#migration/parity/run/side.ts'
import { formatDay } from '#shared/iso-clock.ts'
import { type ServerProcess, startServer } from '../../start/start-child.ts'

const mask = createMask(randomBytes(16).toString('hex'))

const withHeaders = (session: Session, headers: Readonly<Record<string, string>>): Session => ({
  ...session,
  send: (side, label, request, options) =>
    session.send(
      side,
      label,
      side.name === 'native' ? { ...request, headers: { ...request.headers, ...headers } } : request,
      options,
    ),
})

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
  const native: ComparedSide = {
    name: 'native',
    get origin() {
      return gateway?.url ?? ''
    },
  }
  return {
    run: (scenarios: readonly Scenario[], headers: Readonly<Record<string, string>>) =>
      runScenarios(scenarios, {
        deployments: { ...deployments, native, session: withHeaders(deployments.session, headers) },
        isCompared: (label) => labels.has(label),
        rules: { accepted: acceptedDifferences, today: formatDay(Date.now()), mask },
        recorder: createRecorder(mask),
        concurrency: 1,
        onProgress: () => {},
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
