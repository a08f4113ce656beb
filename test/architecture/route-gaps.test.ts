import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { type CheckedRoute, describeRouteGaps, isNamed, listRoutes } from './route-gaps.ts'

it('every row of the route table has everything it needs', () => {
  const gaps = listRoutes().flatMap((route) => describeRouteGaps(route) ?? [])
  expect(gaps.join('\n\n')).toBe('')
})

const label = 'tracks.moods.create' as Label
const added: CheckedRoute = {
  label,
  row: {
    method: 'POST',
    path: '/v1/tracks/:trackId/moods',
    auth: 'actor',
    runtime: 'native',
    effects: 'write',
    scope: 'track',
  },
  contract: {
    label,
    body: z.object({ name: z.string() }),
    responses: { 201: z.object({ id: z.string() }) },
  } satisfies Contract,
  hasHandler: false,
}

const read: CheckedRoute = {
  ...added,
  label: 'packs.moods.list' as Label,
  row: { ...added.row, method: 'GET', path: '/v1/packs/:packId/moods', effects: 'none', scope: 'pack' },
  contract: undefined,
}

describe('the list of what a new row lacks', () => {
  it('is complete for a write without a handler', () => {
    expect(describeRouteGaps(added)?.split('\n')).toEqual([
      'tracks.moods.create lacks',
      '  handler: native-routes/tracks/moods.create.ts, and an entry in native-routes/index.ts',
      '  route of the sandbox core: dev/sandbox/core/areas/tracks.ts',
      '  operation text: contracts/docs/operation-texts/tracks.ts',
      '  example of the request body: contracts/docs/operation-texts/tracks.ts',
      "  name of the request body's schema: contracts/docs/schema-names.ts",
      '  name of the schema of 201: contracts/docs/schema-names.ts',
      '  example of the schema of 201: contracts/docs/examples/',
      '  generated files, once the rest is there: npm run errors-page && npm run client-types && npm run accept-api',
      '  test that names tracks.moods.create: test/native-routes/tracks/moods.create.test.ts',
      '  idempotency case in prepareByLabel: test/gateway/pipeline/idempotency/write-cases.ts',
      '  generated bodies: test/support/track-bodies.ts',
      '  scenario in which it succeeds: test/scenarios/tracks.ts',
      '  removal of what it creates, or why it remains: migration/parity/run/created.ts',
      '  read-back, the GETs that show its effect, or why there are none: migration/parity/paired-reads.ts',
    ])
  })

  it('is complete for a read without schemas', () => {
    expect(describeRouteGaps(read)?.split('\n')).toEqual([
      'packs.moods.list lacks',
      '  schemas: contracts/packs.moods.ts, and an entry in contracts/registry.ts',
      '  handler: native-routes/packs/moods.list.ts, and an entry in native-routes/index.ts',
      '  route of the sandbox core: dev/sandbox/core/areas/packs.ts',
      '  operation text: contracts/docs/operation-texts/packs.ts',
      '  names of its schemas: contracts/docs/schema-names.ts',
      '  examples of its responses: contracts/docs/examples/',
      '  generated files, once the rest is there: npm run errors-page && npm run client-types && npm run accept-api',
      '  test that names packs.moods.list: test/native-routes/packs/moods.list.test.ts',
      '  its lists, for the tests of paging: test/native-routes/paging.test.ts',
      '  scenario in which it succeeds: test/scenarios/packs.ts',
      '  preparation that turns a mismatch into a scenario: migration/parity/reproduce/preparations.ts',
    ])
  })

  it('contains only what forwarding needs if only the core serves the route', () => {
    const forwarded = { ...added, row: { ...added.row, runtime: 'proxy' as const } }
    expect(describeRouteGaps(forwarded)).not.toMatch(/handler|test|scenario/)
    expect(describeRouteGaps(forwarded)).toContain('operation text')
    expect(describeRouteGaps(forwarded)).toContain('read-back')
  })
})

it('a longer label, a path or a comment does not count as naming a route', () => {
  const source = "describe('public.packs.list and packs.list.all at /packs.lists')\n// packs.list"
  expect(isNamed('packs.list', source)).toBe(false)
  expect(isNamed('packs.list', `${source}\ndescribe('packs.list, sorted')`)).toBe(true)
})
