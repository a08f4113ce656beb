import { describe, expect, it } from 'vitest'
import { createShape } from '#dev/tools/api/accepted-shape.ts'
import { type ApiShape, listBreakingChanges } from '#dev/tools/api/breaking-changes.ts'

const track = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    state: { type: 'string', enum: ['pending', 'ready'] },
    kind: { type: 'string', 'x-extensible-enum': ['song'] },
    durationMs: { type: ['integer', 'null'], minimum: 0 },
    tags: { type: 'array', items: { type: 'object', properties: { value: { type: 'string' } } } },
  },
  required: ['id', 'state'],
}

const newTrack = {
  type: 'object',
  properties: {
    title: { type: 'string', maxLength: 300 },
    artist: { type: 'string' },
    state: { type: 'string', enum: ['pending', 'ready'] },
    percentage: { type: 'number' },
  },
  required: ['title'],
}

const json = (name: string) => ({
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
})

const operation = {
  operationId: 'tracks.create',
  parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 } }],
  requestBody: { required: true, ...json('NewTrack') },
  responses: {
    201: { headers: { location: { schema: { type: 'string' } } }, ...json('Track') },
    404: { $ref: '#/components/responses/NotFound' },
  },
}

interface Parts {
  track: Record<string, unknown>
  newTrack: Record<string, unknown>
  operation: Record<string, unknown>
}

const shapeOf = ({ track, newTrack, operation }: Parts): ApiShape => ({
  paths: { '/v1/tracks': { post: operation } },
  webhooks: {},
  components: {
    schemas: {
      Track: track,
      NewTrack: newTrack,
      Error: { type: 'object', properties: { error: { type: 'string' } } },
    },
    responses: { NotFound: json('Error') },
  },
})

// Each change edits a copy of these parts.
type Change = (parts: {
  // biome-ignore lint/suspicious/noExplicitAny: a change edits any field of a description
  track: any
  // biome-ignore lint/suspicious/noExplicitAny: a change edits any field of a description
  newTrack: any
  // biome-ignore lint/suspicious/noExplicitAny: a change edits any field of a description
  operation: any
}) => void

const changesOf = (change: Change) => {
  const parts = structuredClone({ track, newTrack, operation })
  change(parts)
  return listBreakingChanges(shapeOf({ track, newTrack, operation }), shapeOf(parts))
}

const breaking: readonly (readonly [string, Change, string])[] = [
  [
    'a removed response field',
    ({ track }) => delete track.properties.kind,
    'the response 201.kind was removed',
  ],
  [
    'a removed field of a list',
    ({ track }) => delete track.properties.tags.items.properties.value,
    'the response 201.tags[].value was removed',
  ],
  [
    'a response field that may be absent',
    ({ track }) => track.required.pop(),
    'the response 201: values without state (now possible)',
  ],
  [
    'a response field with a different type',
    ({ track }) => (track.properties.id.type = 'integer'),
    'the response 201.id: the type integer (now possible)',
  ],
  [
    'a response field that may be null',
    ({ track }) => (track.properties.id.type = ['string', 'null']),
    'the response 201.id: the type null (now possible)',
  ],
  [
    'a new value of a closed enumeration',
    ({ track }) => track.properties.state.enum.push('failed'),
    'the response 201.state: the value "failed" (now possible)',
  ],
  [
    'an enumeration that becomes any text',
    ({ track }) => delete track.properties.state.enum,
    'the response 201.state: any value (now possible)',
  ],
  [
    'a response number that loses its minimum',
    ({ track }) => delete track.properties.durationMs.minimum,
    'the response 201.durationMs: values beyond minimum (now possible)',
  ],
  [
    'a new required request field',
    ({ newTrack }) => newTrack.required.push('artist'),
    'the request body: values without artist (no longer accepted)',
  ],
  [
    'a removed request field',
    ({ newTrack }) => delete newTrack.properties.artist,
    'the request body.artist was removed',
  ],
  [
    'a shorter maximum length in a request',
    ({ newTrack }) => (newTrack.properties.title.maxLength = 100),
    'the request body.title: values beyond maxLength (no longer accepted)',
  ],
  [
    'a new pattern for a request field',
    ({ newTrack }) => (newTrack.properties.artist.pattern = '^a'),
    'the request body.artist: values beyond pattern (no longer accepted)',
  ],
  [
    'a narrower type of a request field',
    ({ newTrack }) => (newTrack.properties.percentage.type = 'integer'),
    'the request body.percentage: the type number (no longer accepted)',
  ],
  [
    'a value that is no longer accepted',
    ({ newTrack }) => newTrack.properties.state.enum.pop(),
    'the request body.state: the value "ready" (no longer accepted)',
  ],
  [
    'a request that rejects unknown fields',
    ({ newTrack }) => (newTrack.additionalProperties = false),
    'the request body: values beyond unknown fields (no longer accepted)',
  ],
  ['a removed status', ({ operation }) => delete operation.responses[404], 'the status 404 was removed'],
  [
    'a removed header',
    ({ operation }) => delete operation.responses[201].headers,
    'the response 201 no longer has the header location',
  ],
  [
    'a response that loses its body',
    ({ operation }) => delete operation.responses[201].content,
    'the response 201 no longer has a body',
  ],
  [
    'a changed operationId',
    ({ operation }) => (operation.operationId = 'tracks.add'),
    'its operationId has changed',
  ],
  [
    'different credentials',
    ({ operation }) => (operation.security = [{ internal: [] }]),
    'it requires different credentials',
  ],
  ['a removed parameter', ({ operation }) => operation.parameters.pop(), 'the parameter limit was removed'],
  [
    'a lower maximum of a parameter',
    ({ operation }) => (operation.parameters[0].schema.maximum = 50),
    'the parameter limit: values beyond maximum (no longer accepted)',
  ],
  [
    'a parameter that becomes required',
    ({ operation }) => (operation.parameters[0].required = true),
    'the parameter limit is now required',
  ],
  [
    'a new required parameter',
    ({ operation }) => operation.parameters.push({ name: 'to', in: 'query', required: true, schema: {} }),
    'the parameter to is new and required',
  ],
]

const compatible: readonly (readonly [string, Change])[] = [
  ['no change', () => {}],
  ['a new response field', ({ track }) => (track.properties.artist = { type: 'string' })],
  ['a response field that is now always present', ({ track }) => track.required.push('kind')],
  [
    'a new value of an open enumeration',
    ({ track }) => track.properties.kind['x-extensible-enum'].push('demo'),
  ],
  ['a value that is no longer returned', ({ track }) => track.properties.state.enum.pop()],
  ['a response field that cannot be null now', ({ track }) => (track.properties.durationMs.type = 'integer')],
  ['a new optional request field', ({ newTrack }) => (newTrack.properties.isrc = { type: 'string' })],
  ['a request field that is no longer required', ({ newTrack }) => newTrack.required.pop()],
  ['a longer maximum length in a request', ({ newTrack }) => (newTrack.properties.title.maxLength = 500)],
  ['a new accepted value', ({ newTrack }) => newTrack.properties.state.enum.push('failed')],
  [
    'a request field that accepts null',
    ({ newTrack }) => (newTrack.properties.artist.type = ['string', 'null']),
  ],
  [
    'a new optional parameter',
    ({ operation }) => operation.parameters.push({ name: 'cursor', in: 'query', schema: {} }),
  ],
  ['a new status', ({ operation }) => (operation.responses[409] = json('Error'))],
  ['credentials that are no longer required', ({ operation }) => (operation.security = [])],
]

describe('listBreakingChanges', () => {
  it.each(breaking)('reports %s', (_, change, expected) => {
    expect(changesOf(change)).toEqual([`POST /v1/tracks: ${expected}`])
  })

  it.each(compatible)('reports nothing for %s', (_, change) => {
    expect(changesOf(change)).toEqual([])
  })

  it('reports a removed operation and a renamed schema', () => {
    const before = shapeOf({ track, newTrack, operation })
    const after = { ...before, paths: {}, components: { schemas: {} } }
    expect(listBreakingChanges(before, after)).toEqual([
      'POST /v1/tracks was removed',
      'the schema Track was removed or renamed',
      'the schema NewTrack was removed or renamed',
      'the schema Error was removed or renamed',
    ])
  })

  it('compares the alternatives of a union', () => {
    const alternatives = {
      oneOf: [
        { type: 'object', required: ['a'] },
        { type: 'object', required: ['b'] },
      ],
    }
    const withBody = (body: Record<string, unknown>) => shapeOf({ track, newTrack: body, operation })
    const [first] = alternatives.oneOf
    expect(listBreakingChanges(withBody(alternatives), withBody({ oneOf: [first] }))).toHaveLength(1)
    expect(listBreakingChanges(withBody({ oneOf: [first] }), withBody(alternatives))).toEqual([])
  })

  it('reports every operation whose response loses a field of a shared schema', () => {
    const shape = createShape()
    const changed = structuredClone(shape) as unknown as {
      components: { schemas: Record<string, { properties: Record<string, unknown> }> }
    }
    delete changed.components.schemas.LibraryShare?.properties.inviteStatus
    expect(listBreakingChanges(shape, changed as unknown as ApiShape)).toEqual([
      'GET /v1/libraries/{libraryId}/shares: the response 200.records[].inviteStatus was removed',
      'POST /v1/libraries/{libraryId}/shares: the response 201.inviteStatus was removed',
      'PATCH /v1/libraries/{libraryId}/shares/{shareId}: the response 200.inviteStatus was removed',
    ])
  })
})
