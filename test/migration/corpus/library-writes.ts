import { recordedResponse } from '../responses.ts'
import {
  createResponsePairs,
  id,
  removeField,
  replaceResponse,
  setField,
  setHeader,
  timestampAt,
  token,
} from './pairs.ts'

const library = (number: number) => ({
  id: id(number),
  name: `Library ${number}`,
  description: null,
  createdAt: timestampAt(number),
  updatedAt: timestampAt(number),
})

const share = (number: number) => ({
  id: id(number),
  libraryId: id(900),
  targetUserId: null,
  email: `guest${number}@example.com`,
  accessType: 'viewer',
  inviteStatus: 'pending',
  createdAt: timestampAt(number),
  updatedAt: timestampAt(number),
  respondedAt: null,
  revokedAt: null,
})

const libraryTrack = {
  libraryId: id(1),
  trackId: id(2),
  position: 0,
  addedAt: timestampAt(1),
  track: { id: id(2), title: 'Night Drive', artist: 'The Owls', durationMs: 201_000 },
}

export const libraryWritePairs = [
  ...createResponsePairs('libraries.create', recordedResponse(201, library(1)), [
    [
      'has a different generated id and time',
      { native: [setField('id', id(77)), setField('createdAt', timestampAt(9))] },
    ],
    ['has status 200', { native: replaceResponse(200, library(1)) }, 'status status regression native'],
    [
      'has status 200 at the core',
      { core: replaceResponse(200, library(1)) },
      'status status not_comparable core',
    ],
    [
      'has a different name',
      { native: setField('name', 'Library one') },
      'value body.name regression unknown',
    ],
    [
      'has an empty description instead of null',
      { native: setField('description', '') },
      'type body.description regression unknown',
    ],
    [
      'lacks the description',
      { native: removeField('description') },
      'missing body.description regression native',
    ],
    [
      'has a location',
      { native: setHeader('location', '/v1/libraries/1') },
      'header headers.location accepted unknown',
    ],
    [
      'has no location',
      { core: setHeader('location', '/v1/libraries/1') },
      'header headers.location regression unknown',
    ],
    [
      'has a location with another id',
      {
        native: setHeader('location', `/v1/libraries/${id(1)}`),
        core: setHeader('location', `/v1/libraries/${id(2)}`),
      },
    ],
    [
      'has a location of a different kind',
      {
        native: setHeader('location', `/v1/libraries/${id(1)}`),
        core: setHeader('location', `/v1/packs/${id(1)}`),
      },
      'header headers.location regression unknown',
    ],
  ]),
  ...createResponsePairs('libraries.remove', recordedResponse(204), [
    ['is equal', {}],
    [
      'has a body',
      { native: replaceResponse(204, { ok: true }) },
      'header headers.content-type accepted unknown',
      'extra body regression native',
    ],
    [
      'has a body at the core',
      { core: replaceResponse(204, { ok: true }) },
      'header headers.content-type regression unknown',
      'missing body not_comparable core',
    ],
    ['has status 200', { native: replaceResponse(200, {}) }, 'status status regression native'],
    [
      'has no cache-control',
      { native: setHeader('cache-control') },
      'header headers.cache-control regression native',
    ],
  ]),
  ...createResponsePairs('libraries.shares.list', recordedResponse(200, { records: [share(1), share(2)] }), [
    ['is equal', {}],
    [
      'has a different access type',
      { native: setField('records.0.accessType', 'editor') },
      'value body.records.*.accessType regression unknown',
    ],
    [
      'has an unknown access type',
      { native: setField('records.0.accessType', 'owner') },
      'value body.records.*.accessType regression native',
    ],
    [
      'has an unknown access type at the core',
      { core: setField('records.0.accessType', 'owner') },
      'value body.records.*.accessType not_comparable core',
    ],
    [
      'has a response time instead of null',
      { native: setField('records.0.respondedAt', timestampAt(5)) },
      'type body.records.*.respondedAt regression unknown',
    ],
    [
      'leaks the token of the invitation',
      { native: setField('records.0.inviteToken', token('T')) },
      'extra body.records.*.? critical native',
    ],
    [
      'belongs to another library',
      { native: setField('records.1.libraryId', id(901)) },
      'value body.records.*.libraryId regression unknown',
    ],
  ]),
  ...createResponsePairs('libraries.tracks.add', recordedResponse(200, libraryTrack), [
    ['is equal', {}],
    [
      'has a different position',
      { native: setField('position', 1) },
      'value body.position regression unknown',
    ],
    [
      'contains a different track',
      { native: setField('track.id', id(3)) },
      'value body.track.id regression unknown',
    ],
    ['lacks the track', { native: removeField('track') }, 'missing body.track regression native'],
    ['lacks the track at the core', { core: removeField('track') }, 'extra body.track accepted core'],
    [
      'leaks the owner of the track',
      { native: setField('track.ownerId', 'acct_owner') },
      'extra body.track.? critical native',
    ],
    [
      'leaks the storage location of the track',
      { native: setField('track.source', 's3://bucket/key') },
      'extra body.track.? critical native',
    ],
  ]),
]
