import { asked, body, both, type Fault, faultsIn, fields, type Json, status, text, within } from './fault.ts'

const writesLyrics = { label: 'tracks.lyrics.replace', status: 200 } as const
const changes = {
  label: 'tracks.metadata.update',
  status: 200,
  scenario: 'changes all fields',
} as const

const exchanged = ({ title, artist, ...rest }: Json) => ({ ...rest, title: artist, artist: title })

export const trackFaults: readonly Fault[] = [
  ...faultsIn({ on: 'native', ...writesLyrics, scenario: 'trims the language' }, [
    ['a language in small letters', fields({ language: 'PT-BR' }), 'value at body.language, regression'],
  ]),
  ...faultsIn({ on: 'native', ...writesLyrics, scenario: 'stores the text unchanged' }, [
    [
      'a text that is stored trimmed',
      both(asked({ text: 'Night  drive' }), fields({ text: '  Night  drive \n' })),
      'value at tracks.lyrics.detail body.text, regression',
    ],
  ]),
  ...faultsIn({ on: 'native', ...writesLyrics, scenario: 'accepts lines without an end' }, [
    [
      'an end that is left out',
      within<Json[]>('lines', (lines) => lines.map(({ endMs: _, ...line }) => line)),
      'missing at body.lines.*.endMs, regression',
    ],
  ]),
  ...faultsIn({ on: 'core', ...writesLyrics, scenario: 'writes the text' }, [
    ['a status that there is not', fields({ status: 'done' }), 'value at body.status, not_comparable'],
    ['a source in capitals', fields({ source: 'User' }), 'value at body.source, not_comparable'],
    ['another status of success', status(201), 'status at status, not_comparable'],
  ]),
  ...faultsIn({ on: 'core', ...writesLyrics, scenario: 'replaces all fields', blame: 'native' }, [
    [
      'a text that is stored as another',
      both(asked({ text: 'Other' }), fields({ text: 'New' })),
      'value at tracks.lyrics.detail body.text, regression',
    ],
  ]),
  ...faultsIn(
    {
      on: 'native',
      label: 'tracks.lyrics.detail',
      status: 404,
      scenario: 'with the id of another account, as for an unknown id',
    },
    [
      [
        'another status for what is another’s',
        status(403, '{"error":"forbidden"}'),
        'status at status, regression',
      ],
    ],
  ),
  ...faultsIn(
    {
      on: 'core',
      label: 'tracks.lyrics.detail',
      status: 200,
      scenario: 'returns empty lyrics for a new track',
    },
    [
      ['a text for no lines', fields({ lines: '' }), 'type at body.lines, not_comparable'],
      ['no body', text(''), 'extra at body, not_comparable'],
    ],
  ),

  ...faultsIn({ on: 'native', ...changes }, [
    [
      'a day with its time',
      fields({ releaseDate: '2024-02-29T00:00:00.000Z' }),
      'value at body.releaseDate, regression',
    ],
    [
      'another title stored',
      both(asked({ title: 'b' }), fields({ title: 'B' })),
      'value at tracks.detail body.title, regression',
    ],
    ['title and artist exchanged', body(exchanged), 'order at body.title, regression'],
  ]),
  ...faultsIn({ on: 'native', ...changes, scenario: 'keeps fields that are not in the body' }, [
    ['another field that is cleared', asked({ isrc: null }), 'type at body.isrc, regression'],
  ]),
  ...faultsIn({ on: 'core', ...changes }, [
    [
      'a state that there is not',
      fields({ processingState: 'none' }),
      'value at body.processingState, not_comparable',
    ],
    ['a length as text', fields({ durationMs: '0' }), 'type at body.durationMs, not_comparable'],
  ]),
]
