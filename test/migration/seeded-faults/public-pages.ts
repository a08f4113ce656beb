import {
  changeField,
  createFaults,
  type Json,
  type SeededFault,
  setFields,
  setHeader,
  setStatus,
  setText,
} from './fault.ts'

const readsTrackLink = {
  label: 'public.track-links.detail',
  status: 200,
  scenario: 'returns a track without audio or artwork',
} as const
const readsSplitSheet = {
  label: 'public.split-sheets.detail',
  status: 200,
  scenario: 'returns the sheet',
} as const
const recordsEvent = {
  label: 'public.track-links.share-events.record',
  scenario: 'records an event without a body',
} as const
const unknownPackLink = {
  label: 'pack-links.detail',
  status: 404,
  scenario: 'does not find an unknown slug',
} as const

const changeObject = (name: string, change: (json: Json) => unknown) => changeField<Json>(name, change)

export const publicPageFaults: readonly SeededFault[] = [
  ...createFaults({ on: 'native', ...readsTrackLink }, [
    [
      'a storage location',
      changeObject('track', (track) => ({ ...track, artworkUrl: 's3://media/covers/1' })),
      'type at body.track.artworkUrl, critical',
    ],
    [
      'the owner of the track',
      changeObject('track', (track) => ({ ...track, ownerId: 'acct_other' })),
      'extra at body.track.?, critical',
    ],
    [
      'a missing expiry',
      changeObject('link', ({ expiresAt: _, ...link }) => link),
      'missing at body.link.expiresAt, regression',
    ],
  ]),
  ...createFaults({ on: 'core', ...readsTrackLink }, [
    [
      'the owner of the track',
      changeObject('track', (track) => ({ ...track, ownerId: 'acct_other' })),
      'missing at body.track.?, not_comparable',
    ],
    [
      'a fractional duration',
      changeObject('track', (track) => ({ ...track, durationMs: 1.5 })),
      'type at body.track.durationMs, not_comparable',
    ],
  ]),
  ...createFaults({ on: 'native', ...readsSplitSheet }, [
    [
      'null for an absent field',
      changeObject('link', (link) => ({ ...link, expiresAt: null })),
      'extra at body.link.expiresAt, regression',
    ],
  ]),
  ...createFaults({ on: 'core', ...readsSplitSheet }, [
    [
      'a timestamp as a number',
      changeObject('link', (link) => ({ ...link, createdAt: 1_763_712_000_000 })),
      'type at body.link.createdAt, not_comparable',
    ],
  ]),
  ...createFaults({ on: 'native', ...recordsEvent }, [
    ['204 without a body', setStatus(204, ''), 'status at status, regression'],
    ['false instead of true', setFields({ ok: false }), 'value at body.ok, regression'],
  ]),
  ...createFaults({ on: 'core', ...recordsEvent }, [
    ['204 without a body', setStatus(204, ''), 'status at status, not_comparable'],
  ]),
  ...createFaults(
    {
      on: 'native',
      label: 'public.split-sheets.detail',
      status: 429,
      scenario: 'rate-limits a visitor',
    },
    [
      ['a missing retry-after header', setHeader('retry-after'), 'header at headers.retry-after, regression'],
      [
        'a fractional retry-after header',
        setHeader('retry-after', '59.2'),
        'header at headers.retry-after, regression',
      ],
    ],
  ),
  ...createFaults({ on: 'native', ...unknownPackLink }, [
    [
      'the error code of another link',
      setFields({ error: 'track_link_unavailable' }),
      'value at body.error, regression',
    ],
    [
      'a status that reveals an ended link',
      setStatus(410, '{"error":"pack_link_not_found"}'),
      'status at status, regression',
    ],
  ]),
  ...createFaults({ on: 'core', ...unknownPackLink }, [
    [
      'a status that reveals an ended link',
      setStatus(410, '{"error":"pack_link_not_found"}'),
      'status at status, not_comparable',
    ],
    ['an HTML page instead of an error', setText('<h1>Not found</h1>'), 'type at body, not_comparable'],
  ]),
]
