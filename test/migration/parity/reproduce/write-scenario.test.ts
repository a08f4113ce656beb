import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isTwoSided, labels, rowOf } from '#contracts/shared/row.ts'
import { preparations } from '#migration/parity/reproduce/preparations.ts'
import { type Mismatch, writeScenario } from '#migration/parity/reproduce/write-scenario.ts'

const root = join(import.meta.dirname, '../../../..')

const mismatch = (changes: Partial<Mismatch> = {}): Mismatch => ({
  signature: '0123456789abcdef',
  kind: 'value',
  path: 'body.records.*.title',
  exampleNative: 'string #3f2a91bc04',
  exampleCore: 'string #90aa8170d1',
  ...changes,
})

const reads = labels.filter((label) => isTwoSided(label) && rowOf(label).method === 'GET')

const write = (label: Parameters<typeof writeScenario>[0], changes?: Partial<Mismatch>) => {
  const written = writeScenario(label, mismatch(changes))
  if (!written) throw new Error(`no scenario for ${label}`)
  return written
}

const format = (scenario: string) => {
  const args = ['biome', 'format', '--stdin-file-path=test/scenarios/new.ts']
  return spawnSync('npx', args, { cwd: root, input: scenario, encoding: 'utf8' }).stdout
}

describe('the scenario for a mismatch', () => {
  it('is a complete scenario file', () => {
    expect(write('tracks.list')).toEqual({
      file: 'test/scenarios/tracks.list.0123456789abcdef.ts',
      scenario: [
        "import { defineScenario } from '#migration/parity/run/scenario.ts'",
        "import { createTrack } from './fixtures/libraries.ts'",
        '',
        'export const tracksListMismatch = [',
        '  defineScenario(',
        "    'tracks.list',",
        '    200,',
        "    'agrees with the core on body.records.*.title (value: native string, core string)',",
        '    async (context) => {',
        '      const owner = await context.account()',
        "      for (const title of ['First', 'Second', 'Third']) await createTrack(owner, title)",
        '      return { as: owner }',
        '    },',
        '  ),',
        ']',
      ].join('\n'),
    })
  })

  it('exists for every GET that both sides serve, and for no other route', () => {
    expect(new Set(Object.keys(preparations))).toEqual(new Set(reads))
    expect(writeScenario('tracks.create', mismatch())).toBeNull()
    expect(writeScenario('analytics.overview', mismatch())).toBeNull()
  })

  it.each([
    ["the core's status", { kind: 'status', path: 'status', exampleNative: '200', exampleCore: '404' }, 404],
    [
      "the status that belongs to the core's error code",
      { path: 'body.error', exampleNative: '"a"', exampleCore: '"forbidden"' },
      403,
    ],
    [
      '200 if the error code is masked',
      { path: 'body.error', exampleNative: 'string #1', exampleCore: null },
      200,
    ],
    ['401 if the challenge differs', { kind: 'header', path: 'headers.www-authenticate' }, 401],
    ['200 for a non-numeric status', { path: 'status', exampleNative: '"timeout"', exampleCore: '"x"' }, 200],
  ])('expects %s', (_, changes, status) => {
    expect(write('packs.detail', changes).scenario).toMatch(new RegExp(`'packs\\.detail',\\s+${status},`))
  })

  it.each([
    ['packs.detail', 404, 'return { as: await context.account(), params: { packId: unknownId } }'],
    ['packs.detail', 401, 'return { params: { packId: unknownId } }'],
    ['packs.list', 401, 'return {}'],
    ['public.pack-links.detail', 404, "return { params: { slug: context.unique('unknown') } }"],
    ['public.track-links.detail', 404, "return { params: { token: 'a'.repeat(43) } }"],
  ] as const)('contains a request to which %s responds with %i', (label, status, request) => {
    const example = { exampleNative: '200', exampleCore: String(status) }
    expect(write(label, { kind: 'status', path: 'status', ...example }).scenario).toContain(request)
  })

  it("contains the types of the example's values, but no values or names from a customer", () => {
    const example = { exampleNative: '4711', exampleCore: 'array of 3' }
    const { scenario } = write('tracks.list', { kind: 'type', path: 'body.count', ...example })
    expect(scenario).toContain("'agrees with the core on body.count (type: native number, core array)'")
    const secrets = { exampleNative: '"alice"', exampleCore: null }
    const quoted = write('tracks.list', { path: "body.'+process.exit()+'\n", ...secrets }).scenario
    expect(quoted).toContain("'agrees with the core on body.??process.exit()???")
    expect(quoted).toContain('native string, core nothing')
    expect(quoted).not.toContain('alice')
  })

  it('is formatted as npm run check requires', () => {
    const examples = [200, 401, 404].map((status) => ({ exampleNative: '500', exampleCore: String(status) }))
    const texts = reads.flatMap((label) =>
      examples.map((example) => `${write(label, { kind: 'status', path: 'status', ...example }).scenario}\n`),
    )
    // Formats all texts as one file, because that takes hardly longer than formatting one of them.
    const [imports, rest] = [/^import .*\n/gm, texts.join('\n')]
    const body = `${rest
      .replaceAll(imports, '')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim()}\n`
    expect(format(body)).toBe(body)
  })
})
