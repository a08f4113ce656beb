import {
  changeBody,
  changeField,
  changeRequest,
  combine,
  createFaults,
  type Json,
  type SeededFault,
  setFields,
  setStatus,
  setText,
} from './fault.ts'

const replacesLyrics = { label: 'tracks.lyrics.replace', status: 200 } as const
const updatesMetadata = {
  label: 'tracks.metadata.update',
  status: 200,
  scenario: 'changes all fields',
} as const

const swapTitleAndArtist = ({ title, artist, ...rest }: Json) => ({ ...rest, title: artist, artist: title })

export const trackFaults: readonly SeededFault[] = [
  ...createFaults({ on: 'native', ...replacesLyrics, scenario: 'trims the language' }, [
    ['a language in upper case', setFields({ language: 'PT-BR' }), 'value at body.language, regression'],
  ]),
  ...createFaults({ on: 'native', ...replacesLyrics, scenario: 'stores the text unchanged' }, [
    [
      'a text that is stored trimmed',
      combine(changeRequest({ text: 'Cafe\u0301  drive' }), setFields({ text: '  Cafe\u0301  drive \n' })),
      'value at tracks.lyrics.detail body.text, regression',
    ],
  ]),
  ...createFaults({ on: 'native', ...replacesLyrics, scenario: 'accepts lines without an end' }, [
    [
      'a missing end of a line',
      changeField<Json[]>('lines', (lines) => lines.map(({ endMs: _, ...line }) => line)),
      'missing at body.lines.*.endMs, regression',
    ],
  ]),
  ...createFaults({ on: 'core', ...replacesLyrics, scenario: 'writes the text' }, [
    ['an unknown status', setFields({ status: 'done' }), 'value at body.status, not_comparable'],
    ['a source with a capital letter', setFields({ source: 'User' }), 'value at body.source, not_comparable'],
    ['another success status', setStatus(201), 'status at status, not_comparable'],
  ]),
  ...createFaults({ on: 'core', ...replacesLyrics, scenario: 'replaces all fields', blame: 'native' }, [
    [
      'another text that is stored',
      combine(changeRequest({ text: 'Other' }), setFields({ text: 'New' })),
      'value at tracks.lyrics.detail body.text, regression',
    ],
  ]),
  ...createFaults(
    {
      on: 'native',
      label: 'tracks.lyrics.detail',
      status: 404,
      scenario: 'with the id of another account, as for an unknown id',
    },
    [
      [
        'another status for the track of another account',
        setStatus(403, '{"error":"forbidden"}'),
        'status at status, regression',
      ],
    ],
  ),
  ...createFaults(
    {
      on: 'core',
      label: 'tracks.lyrics.detail',
      status: 200,
      scenario: 'returns empty lyrics for a new track',
    },
    [
      ['an empty text instead of lines', setFields({ lines: '' }), 'type at body.lines, not_comparable'],
      ['no body', setText(''), 'extra at body, not_comparable'],
    ],
  ),

  ...createFaults({ on: 'native', ...updatesMetadata }, [
    [
      'a timestamp as the release date',
      setFields({ releaseDate: '2024-02-29T00:00:00.000Z' }),
      'value at body.releaseDate, regression',
    ],
    [
      'another title that is stored',
      combine(changeRequest({ title: 'b' }), setFields({ title: 'B' })),
      'value at tracks.detail body.title, regression',
    ],
    ['title and artist swapped', changeBody(swapTitleAndArtist), 'order at body.title, regression'],
  ]),
  ...createFaults({ on: 'native', ...updatesMetadata, scenario: 'keeps fields that are not in the body' }, [
    ['another field that is cleared', changeRequest({ isrc: null }), 'type at body.isrc, regression'],
  ]),
  ...createFaults({ on: 'core', ...updatesMetadata }, [
    [
      'an unknown state',
      setFields({ processingState: 'none' }),
      'value at body.processingState, not_comparable',
    ],
    ['a duration as text', setFields({ durationMs: '0' }), 'type at body.durationMs, not_comparable'],
  ]),
]
