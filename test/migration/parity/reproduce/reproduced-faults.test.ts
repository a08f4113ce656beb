import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Label } from '#contracts/route-table.ts'
import { listTwoSidedRoutes } from '#dev/contract/comparison.ts'
import { reproduce } from '#migration/cli/reproduce-verb.ts'
import { preparations } from '#migration/parity/reproduce/preparations.ts'
import { writeScenario } from '#migration/parity/reproduce/write-scenario.ts'
import { createFreshAccountSource } from '#migration/parity/run/accounts.ts'
import { compareDeployments } from '#migration/parity/run/compare-deployments.ts'
import type { Scenario } from '#migration/parity/run/scenario.ts'
import { createSandboxSession } from '#migration/parity/run/session.ts'
import { scenarios } from '#test/scenarios/index.ts'
import { startTestJobs } from '#test/support/jobs.ts'
import {
  changeBody,
  changeField,
  createFaults,
  type Json,
  removeField,
  type SeededFault,
} from '../../seeded-faults/fault.ts'
import { startBothSides, startTampering } from '../run/two-sides.ts'
import { compile, createWorkspace } from './workspace.ts'

const createFault = (
  label: Label,
  scenario: string,
  tampering: SeededFault['tampering'],
  found: `${'value' | 'missing' | 'order'} at ${string}, regression`,
) => createFaults({ on: 'native', label, status: 200, scenario }, [['a fault', tampering, found]])

const changeRecords = (change: (record: Json) => Json) =>
  changeField<Json[]>('records', (all) => all.map(change))

const addTrack = (json: Json) => ({ ...json, trackCount: Number(json.trackCount) + 1 })

const faults = [
  ...createFault(
    'tracks.list',
    'lists the newest track first',
    changeRecords((record) => ({ ...record, artist: 'The Owls' })),
    'value at body.records.*.artist, regression',
  ),
  ...createFault(
    'tracks.detail',
    'returns a processed track',
    removeField('durationMs'),
    'missing at body.durationMs, regression',
  ),
  ...createFault(
    'packs.list',
    'lists the newest pack first, with counts',
    changeField<Json[]>('records', (all) => all.toReversed()),
    'order at body.records, regression',
  ),
  ...createFault(
    'packs.detail',
    'counts the tracks',
    changeBody(addTrack),
    'value at body.trackCount, regression',
  ),
  ...createFault(
    'libraries.detail',
    'returns an empty library to the owner',
    changeBody(addTrack),
    'value at body.trackCount, regression',
  ),
  ...createFault(
    'public.pack-links.detail',
    'returns a pack without tracks',
    changeField<Json>('link', (link) => ({ ...link, downloadsEnabled: false })),
    'value at body.link.downloadsEnabled, regression',
  ),
]

const sides = startBothSides({ storage: true })
startTestJobs(sides.gateway)

const compare = async (wanted: readonly Scenario[], fault?: SeededFault) => {
  const tampered = fault && (await startTampering(sides.native, fault.tampering))
  const { summary } = await compareDeployments({
    deployments: {
      native: { name: 'native', origin: tampered?.origin ?? sides.native },
      core: { name: 'core', origin: sides.core },
      accounts: createFreshAccountSource(sides.gateway.issuer.mintToken),
      session: createSandboxSession(),
      hasSharedState: true,
    },
    scenarios: wanted,
    routes: listTwoSidedRoutes(),
    createProgress: () => () => {},
  })
  await tampered?.close()
  return summary
}

const Printed = z.object({ file: z.string(), scenario: z.string() })

describe('the scenario that `routes reproduce` prints', { timeout: 120_000 }, () => {
  let folder = ''
  beforeAll(async () => {
    folder = await createWorkspace()
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const load = async ({ file, scenario }: z.infer<typeof Printed>): Promise<Scenario[]> => {
    const path = join(folder, file)
    await writeFile(path, `${scenario}\n`)
    const module: Record<string, Scenario[]> = await import(/* @vite-ignore */ pathToFileURL(path).href)
    return Object.values(module).flat()
  }

  it.each(faults.map((fault) => [fault.scenario[0], fault] as const))(
    'for %s fails if native is wrong, and passes if it is right',
    async (label, fault) => {
      const known = scenarios.filter((each) => each.label === label && each.title === fault.scenario[1])
      expect(known).toHaveLength(1)
      const [found, ...others] = (await compare(known, fault)).signatures
      expect(others).toEqual([])
      expect(`${found?.label}: ${found?.kind} at ${found?.path}, ${found?.class}, blame native`).toBe(
        fault.found,
      )
      const { native: exampleNative, core: exampleCore } = found!.example
      const mismatch = { ...found, exampleNative, exampleCore, count: 1, requestIds: ['req_1'] }
      const evidence = { label, mismatches: [mismatch] }
      const { json } = await reproduce.run([label, found?.signature ?? ''], async (schema) =>
        schema.parse(evidence),
      )
      const printed = await load(Printed.parse(json))
      expect(printed).toHaveLength(1)
      const failing = await compare(printed, fault)
      expect(failing.signatures.map((each) => [each.signature, each.class])).toEqual([
        [found?.signature, 'regression'],
      ])
      const passing = await compare(printed)
      expect(passing.signatures).toEqual([])
      expect(passing.counts).toMatchObject({ regression: 0, not_comparable: 0, failed: 0 })
      expect(passing.counts.equal).toBeGreaterThan(0)
    },
  )

  it('compiles and, for every route, succeeds on both sides', async () => {
    const mismatch = {
      signature: '0'.repeat(16),
      kind: 'value',
      path: 'body',
      exampleNative: null,
      exampleCore: null,
    }
    const written = (Object.keys(preparations) as Label[]).map((label) =>
      Printed.parse(writeScenario(label, mismatch)),
    )
    const files = written.map(({ file }) => file)
    const printed = (await Promise.all(written.map(load))).flat()
    const { signatures, counts } = await compare(printed)
    const harmless = ['accepted', 'noise']
    expect(signatures.filter((each) => !harmless.includes(each.class))).toEqual([])
    expect(counts.equal).toBeGreaterThanOrEqual(printed.length)
    await expect(compile(folder, files)).resolves.toBe('')
    await writeFile(join(folder, 'broken.ts'), 'export const broken: number = ""')
    await expect(compile(folder, ['broken.ts'])).rejects.toMatchObject({
      stdout: expect.stringContaining('broken.ts'),
    })
  })
})
