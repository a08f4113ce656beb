import { answer } from '../answers.ts'
import {
  append,
  drop,
  id,
  instead,
  moment,
  noiseAt,
  noNoise,
  pairsOf,
  remove,
  reverse,
  set,
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
  createdAt: moment(number),
  updatedAt: moment(number),
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
  createdAt: moment(number),
  updatedAt: moment(number),
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
  createdAt: moment(1),
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
  createdAt: moment(1),
  updatedAt: moment(2),
}

export const trackPairs = [
  ...pairsOf('tracks.list', answer(200, { records: [track(1), track(2)], nextCursor: 'abc' }), [
    ['continues at a cursor of its own', { native: set('nextCursor', 'xyz') }],
    [
      'ends where the core goes on',
      { native: set('nextCursor', null) },
      'type body.nextCursor regression unknown',
    ],
    [
      'goes on where the core ends',
      { core: set('nextCursor', null) },
      'type body.nextCursor regression unknown',
    ],
    ['lacks the cursor', { native: drop('nextCursor') }, 'missing body.nextCursor regression native'],
    ['has an empty cursor', { native: set('nextCursor', '') }, 'format body.nextCursor regression native'],
    ['turns round', { native: reverse('records') }, 'order body.records regression unknown'],
    [
      'holds a track nobody asked for',
      { native: append('records', track(3)) },
      'length body.records regression unknown',
    ],
  ]),
  ...pairsOf('tracks.detail', answer(200, track(1)), [
    ['says the same', {}],
    ['keeps another title', { native: set('title', 'Track 1 ') }, 'value body.title regression unknown'],
    [
      'is ready later',
      { native: set('processingState', 'processing') },
      'value body.processingState regression unknown',
    ],
    [
      'is ready later, as the core may be',
      { native: set('processingState', 'processing'), noise: noiseAt('value body.processingState') },
      'value body.processingState noise core',
    ],
    ['is of no length', { native: set('durationMs', null) }, 'type body.durationMs regression unknown'],
    [
      'was released at a moment',
      { native: set('releaseDate', moment(1)) },
      'value body.releaseDate regression native',
    ],
    [
      'was released on another day',
      { native: set('releaseDate', '2026-01-30') },
      'value body.releaseDate regression unknown',
    ],
    [
      'shows the address of its original',
      { native: set('playbackUrl', 'https://store.example.com/x') },
      'extra body.playbackUrl critical native',
    ],
    [
      'shows its key in the store',
      { native: set('storageKey', 'originals/1') },
      'extra body.storageKey critical native',
    ],
    [
      'shows where it lies, within',
      { native: set('audio', { object: { uri: 'gs://bucket/key' } }) },
      'extra body.audio regression native',
      'schema body.audio.object.uri critical native',
    ],
    [
      'writes its names otherwise',
      { native: [drop('durationMs'), set('duration_ms', 201_000)] },
      'missing body.durationMs regression native',
      'extra body.duration_ms accepted native',
    ],
  ]),
  ...pairsOf('tracks.metadata.update', answer(200, track(1)), [
    ['says the same at another time', { native: set('updatedAt', moment(30)) }],
    [
      'keeps the code as it was sent',
      { native: set('isrc', 'us-s1z-99-00001') },
      'type body.isrc regression unknown',
    ],
    ['does not write it', { native: set('title', 'Before') }, 'value body.title regression unknown'],
  ]),
  ...pairsOf(
    'tracks.tags.detail',
    answer(200, { trackId: id(1), tags: [tag(1), tag(2)], updatedAt: moment(2) }),
    [
      ['says the same', {}],
      ['shows what is hidden', { native: append('tags', tag(3)) }, 'length body.tags regression unknown'],
      ['turns round', { native: reverse('tags') }, 'order body.tags regression unknown'],
      [
        'is as sure',
        { native: set('tags.0.confidence', 0.50001) },
        'value body.tags.*.confidence regression unknown',
      ],
      [
        'knows another category',
        { native: set('tags.0.category', 'vibe') },
        'value body.tags.*.category regression unknown',
      ],
      [
        'knows a category that is no word',
        { native: set('tags.0.category', 'No Word') },
        'value body.tags.*.category regression native',
      ],
      ['names the model', { native: set('tags.0.model', 'x1') }, 'extra body.tags.*.model accepted native'],
      ['is of another track', { native: set('trackId', id(2)) }, 'value body.trackId regression unknown'],
    ],
  ),
  ...pairsOf('tracks.peaks.detail', answer(200, peaks), [
    ['says the same', {}],
    ['is another wave', { native: set('data.2', -11) }, 'value body.data.* regression unknown'],
    ['is a longer wave', { native: append('data', 5) }, 'length body.data regression unknown'],
    ['is cut', { native: remove('data', 5) }, 'length body.data regression unknown'],
    ['runs backwards', { native: reverse('data') }, 'order body.data regression unknown'],
    ['is of fractions', { native: set('data.0', 0.5) }, 'value body.data.* regression native'],
    [
      'is of another version of the format',
      { native: set('version', 1) },
      'value body.version regression native',
    ],
    ['is of sixteen bits', { native: set('bits', 16) }, 'value body.bits regression unknown'],
    ['is of twelve bits', { native: set('bits', 12) }, 'value body.bits regression native'],
  ]),
  ...pairsOf('tracks.lyrics.detail', answer(200, lyrics), [
    ['says the same', {}],
    [
      'ends a line elsewhere',
      { native: set('lines.0.endMs', 901) },
      'value body.lines.*.endMs regression unknown',
    ],
    ['lacks a line', { native: remove('lines', 0) }, 'length body.lines regression unknown'],
    ['turns the lines round', { native: reverse('lines') }, 'order body.lines regression unknown'],
    ['is none rather than empty', { native: set('text', null) }, 'type body.text regression unknown'],
    ['names who transcribed it', { native: set('provider', 'x') }, 'extra body.provider accepted native'],
    ['is of a source nobody knows', { native: set('source', 'file') }, 'value body.source regression native'],
  ]),
  ...pairsOf('tracks.remove', answer(204), [
    ['is gone', {}],
    [
      'was never there',
      { native: instead(404, { error: 'track_not_found' }) },
      'status status regression unknown',
    ],
    [
      'was never there, says a steady core',
      { core: instead(404, { error: 'track_not_found' }), noise: noNoise },
      'status status regression native',
    ],
  ]),
]
