import { answer } from '../answers.ts'
import { drop, header, id, instead, moment, pairsOf, set, token } from './pairs.ts'

const library = (number: number) => ({
  id: id(number),
  name: `Library ${number}`,
  description: null,
  createdAt: moment(number),
  updatedAt: moment(number),
})

const share = (number: number) => ({
  id: id(number),
  libraryId: id(900),
  targetUserId: null,
  email: `guest${number}@example.com`,
  accessType: 'viewer',
  inviteStatus: 'pending',
  createdAt: moment(number),
  updatedAt: moment(number),
  respondedAt: null,
  revokedAt: null,
})

const libraryTrack = {
  libraryId: id(1),
  trackId: id(2),
  position: 0,
  addedAt: moment(1),
  track: { id: id(2), title: 'Night Drive', artist: 'The Owls', durationMs: 201_000 },
}

export const libraryWritePairs = [
  ...pairsOf('libraries.create', answer(201, library(1)), [
    ['makes a record of its own', { native: [set('id', id(77)), set('createdAt', moment(9))] }],
    ['answers 200', { native: instead(200, library(1)) }, 'status status regression native'],
    ['answers 200 at the core', { core: instead(200, library(1)) }, 'status status not_comparable core'],
    ['names it otherwise', { native: set('name', 'Library one') }, 'value body.name regression unknown'],
    [
      'describes what has no description',
      { native: set('description', '') },
      'type body.description regression unknown',
    ],
    [
      'leaves the description out',
      { native: drop('description') },
      'missing body.description regression native',
    ],
    [
      'says where it is',
      { native: header('location', '/v1/libraries/1') },
      'header headers.location accepted unknown',
    ],
    [
      'does not say where it is',
      { core: header('location', '/v1/libraries/1') },
      'header headers.location regression unknown',
    ],
    [
      'says where it is, by another id',
      {
        native: header('location', `/v1/libraries/${id(1)}`),
        core: header('location', `/v1/libraries/${id(2)}`),
      },
    ],
    [
      'says that it is elsewhere',
      {
        native: header('location', `/v1/libraries/${id(1)}`),
        core: header('location', `/v1/packs/${id(1)}`),
      },
      'header headers.location regression unknown',
    ],
  ]),
  ...pairsOf('libraries.remove', answer(204), [
    ['is gone', {}],
    [
      'has a body',
      { native: instead(204, { ok: true }) },
      'header headers.content-type accepted unknown',
      'extra body regression native',
    ],
    [
      'has a body at the core',
      { core: instead(204, { ok: true }) },
      'header headers.content-type regression unknown',
      'missing body not_comparable core',
    ],
    ['is 200', { native: instead(200, {}) }, 'status status regression native'],
    ['may be stored', { native: header('cache-control') }, 'header headers.cache-control regression native'],
  ]),
  ...pairsOf('libraries.shares.list', answer(200, { records: [share(1), share(2)] }), [
    ['says the same', {}],
    [
      'shows another grade',
      { native: set('records.0.accessType', 'editor') },
      'value body.records.*.accessType regression unknown',
    ],
    [
      'shows a grade nobody knows',
      { native: set('records.0.accessType', 'owner') },
      'value body.records.*.accessType regression native',
    ],
    [
      'shows a grade nobody knows at the core',
      { core: set('records.0.accessType', 'owner') },
      'value body.records.*.accessType not_comparable core',
    ],
    [
      'knows when it was answered',
      { native: set('records.0.respondedAt', moment(5)) },
      'type body.records.*.respondedAt regression unknown',
    ],
    [
      'shows the token of the invitation',
      { native: set('records.0.inviteToken', token('T')) },
      'extra body.records.*.inviteToken critical native',
    ],
    [
      'belongs to another library',
      { native: set('records.1.libraryId', id(901)) },
      'value body.records.*.libraryId regression unknown',
    ],
  ]),
  ...pairsOf('libraries.tracks.add', answer(200, libraryTrack), [
    ['says the same', {}],
    ['is at another place', { native: set('position', 1) }, 'value body.position regression unknown'],
    ['nests another track', { native: set('track.id', id(3)) }, 'value body.track.id regression unknown'],
    ['lacks the track', { native: drop('track') }, 'missing body.track regression native'],
    ['lacks the track at the core', { core: drop('track') }, 'extra body.track accepted core'],
    [
      'names the owner of the track',
      { native: set('track.ownerId', 'acct_owner') },
      'extra body.track.ownerId critical native',
    ],
    [
      'shows where the track lies',
      { native: set('track.source', 's3://bucket/key') },
      'extra body.track.source critical native',
    ],
  ]),
]
