import { recordedResponse } from '../responses.ts'
import {
  append,
  createResponsePairs,
  id,
  identicalRepeat,
  noiseAt,
  removeElement,
  removeField,
  replaceResponse,
  reverse,
  setField,
  timestampAt,
} from './pairs.ts'

const track = (number: number) => ({
  id: id(number),
  title: `Track ${number}`,
  artist: 'The Owls',
  isrc: null,
  iswc: null,
  releaseDate: '2026-01-31',
  durationMs: 201_000,
  currentVersionId: id(number + 500),
  processingState: 'ready',
  createdAt: timestampAt(number),
  updatedAt: timestampAt(number),
})

const tag = (number: number) => ({
  id: id(number),
  category: 'genre',
  value: `genre-${number}`,
  label: `Genre ${number}`,
  numericValue: null,
  confidence: 0.5,
  source: 'ai',
  hidden: false,
  createdAt: timestampAt(number),
  updatedAt: timestampAt(number),
})

const peaks = {
  trackId: id(1),
  versionId: id(2),
  assetId: id(3),
  version: 2,
  channels: 1,
  sampleRate: 44_100,
  samplesPerPixel: 256,
  bits: 8,
  length: 3,
  data: [-3, 4, -10, 12, 0, 1],
  durationMs: 1000,
  createdAt: timestampAt(1),
}

const lyrics = {
  trackId: id(1),
  text: 'one\ntwo',
  language: 'en',
  lines: [
    { startMs: 0, endMs: 900, text: 'one' },
    { startMs: 900, endMs: null, text: 'two' },
  ],
  source: 'user',
  status: 'ready',
  createdAt: timestampAt(1),
  updatedAt: timestampAt(2),
}

export const trackPairs = [
  ...createResponsePairs(
    'tracks.list',
    recordedResponse(200, { records: [track(1), track(2)], nextCursor: 'abc' }),
    [
      ['has a different cursor', { native: setField('nextCursor', 'xyz') }],
      [
        'ends, but the core has a next page',
        { native: setField('nextCursor', null) },
        'type body.nextCursor regression unknown',
      ],
      [
        'has a next page, but the core ends',
        { core: setField('nextCursor', null) },
        'type body.nextCursor regression unknown',
      ],
      [
        'lacks the cursor',
        { native: removeField('nextCursor') },
        'missing body.nextCursor regression native',
      ],
      [
        'has an empty cursor',
        { native: setField('nextCursor', '') },
        'format body.nextCursor regression native',
      ],
      ['is in reverse order', { native: reverse('records') }, 'order body.records regression unknown'],
      [
        'has an additional track',
        { native: append('records', track(3)) },
        'length body.records regression unknown',
      ],
    ],
  ),
  ...createResponsePairs('tracks.detail', recordedResponse(200, track(1)), [
    ['is equal', {}],
    [
      'has a different title',
      { native: setField('title', 'Track 1 ') },
      'value body.title regression unknown',
    ],
    [
      'has a different processing state',
      { native: setField('processingState', 'processing') },
      'value body.processingState regression unknown',
    ],
    [
      'has a different processing state where the core differs from itself',
      { native: setField('processingState', 'processing'), noise: noiseAt('value body.processingState') },
      'value body.processingState noise core',
    ],
    ['has no duration', { native: setField('durationMs', null) }, 'type body.durationMs regression unknown'],
    [
      'has a timestamp as the release date',
      { native: setField('releaseDate', timestampAt(1)) },
      'value body.releaseDate regression native',
    ],
    [
      'has a different release date',
      { native: setField('releaseDate', '2026-01-30') },
      'value body.releaseDate regression unknown',
    ],
    [
      'leaks the URL of its original',
      { native: setField('playbackUrl', 'https://store.example.com/x') },
      'extra body.? critical native',
    ],
    [
      'leaks its storage key',
      { native: setField('storageKey', 'originals/1') },
      'extra body.? critical native',
    ],
    [
      'leaks its storage location in a nested field',
      { native: setField('audio', { object: { uri: 'gs://bucket/key' } }) },
      'extra body.? regression native',
      'schema body.?.?.? critical native',
    ],
    [
      'has a field in snake case',
      { native: [removeField('durationMs'), setField('duration_ms', 201_000)] },
      'missing body.durationMs regression native',
      'extra body.? accepted native',
    ],
  ]),
  ...createResponsePairs('tracks.metadata.update', recordedResponse(200, track(1)), [
    ['has a different update time', { native: setField('updatedAt', timestampAt(30)) }],
    [
      'has an ISRC instead of null',
      { native: setField('isrc', 'us-s1z-99-00001') },
      'type body.isrc regression unknown',
    ],
    [
      'has the previous title',
      { native: setField('title', 'Before') },
      'value body.title regression unknown',
    ],
  ]),
  ...createResponsePairs(
    'tracks.tags.detail',
    recordedResponse(200, { trackId: id(1), tags: [tag(1), tag(2)], updatedAt: timestampAt(2) }),
    [
      ['is equal', {}],
      ['has a hidden tag', { native: append('tags', tag(3)) }, 'length body.tags regression unknown'],
      ['is in reverse order', { native: reverse('tags') }, 'order body.tags regression unknown'],
      [
        'has a slightly different confidence',
        { native: setField('tags.0.confidence', 0.50001) },
        'value body.tags.*.confidence regression unknown',
      ],
      [
        'has a different category',
        { native: setField('tags.0.category', 'vibe') },
        'value body.tags.*.category regression unknown',
      ],
      [
        'has an invalid category',
        { native: setField('tags.0.category', 'No Word') },
        'value body.tags.*.category regression native',
      ],
      [
        'has an additional field',
        { native: setField('tags.0.model', 'x1') },
        'extra body.tags.*.? accepted native',
      ],
      [
        'has a different track id',
        { native: setField('trackId', id(2)) },
        'value body.trackId regression unknown',
      ],
    ],
  ),
  ...createResponsePairs('tracks.peaks.detail', recordedResponse(200, peaks), [
    ['is equal', {}],
    ['has a different value', { native: setField('data.2', -11) }, 'value body.data.* regression unknown'],
    ['has an additional value', { native: append('data', 5) }, 'length body.data regression unknown'],
    ['lacks the last value', { native: removeElement('data', 5) }, 'length body.data regression unknown'],
    ['is in reverse order', { native: reverse('data') }, 'order body.data regression unknown'],
    ['has a fractional value', { native: setField('data.0', 0.5) }, 'value body.data.* regression native'],
    [
      'has a different format version',
      { native: setField('version', 1) },
      'value body.version regression native',
    ],
    ['has 16 bits', { native: setField('bits', 16) }, 'value body.bits regression unknown'],
    ['has 12 bits', { native: setField('bits', 12) }, 'value body.bits regression native'],
  ]),
  ...createResponsePairs('tracks.lyrics.detail', recordedResponse(200, lyrics), [
    ['is equal', {}],
    [
      'has a different end of a line',
      { native: setField('lines.0.endMs', 901) },
      'value body.lines.*.endMs regression unknown',
    ],
    ['lacks a line', { native: removeElement('lines', 0) }, 'length body.lines regression unknown'],
    ['has lines in reverse order', { native: reverse('lines') }, 'order body.lines regression unknown'],
    ['has null as the text', { native: setField('text', null) }, 'type body.text regression unknown'],
    ['has an additional field', { native: setField('provider', 'x') }, 'extra body.? accepted native'],
    ['has an unknown source', { native: setField('source', 'file') }, 'value body.source regression native'],
  ]),
  ...createResponsePairs('tracks.remove', recordedResponse(204), [
    ['is equal', {}],
    [
      'has status 404',
      { native: replaceResponse(404, { error: 'track_not_found' }) },
      'status status regression unknown',
    ],
    [
      'has status 404 although the core is deterministic',
      { core: replaceResponse(404, { error: 'track_not_found' }), noise: identicalRepeat },
      'status status regression native',
    ],
  ]),
]
