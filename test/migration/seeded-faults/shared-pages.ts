import { type Fault, faultsIn, fields, header, type Json, status, text, within } from './fault.ts'

const opens = {
  label: 'public.track-links.detail',
  status: 200,
  scenario: 'returns a track without audio or artwork',
} as const
const reviews = { label: 'public.split-sheets.detail', status: 200, scenario: 'returns the sheet' } as const
const records = {
  label: 'public.track-links.share-events.record',
  scenario: 'records an event without a body',
} as const
const shut = {
  label: 'pack-links.detail',
  status: 404,
  scenario: 'does not find an unknown slug',
} as const

const part = (name: string, change: (json: Json) => unknown) => within<Json>(name, change)

export const sharedPageFaults: readonly Fault[] = [
  ...faultsIn({ on: 'native', ...opens }, [
    [
      'an address within the store',
      part('track', (track) => ({ ...track, artworkUrl: 's3://media/covers/1' })),
      'type at body.track.artworkUrl, critical',
    ],
    [
      'the owner of the track',
      part('track', (track) => ({ ...track, ownerId: 'acct_somebody' })),
      'extra at body.track.ownerId, critical',
    ],
    [
      'no end of the link',
      part('link', ({ expiresAt: _, ...link }) => link),
      'missing at body.link.expiresAt, regression',
    ],
  ]),
  ...faultsIn({ on: 'core', ...opens }, [
    [
      'the owner of the track',
      part('track', (track) => ({ ...track, ownerId: 'acct_somebody' })),
      'missing at body.track.ownerId, not_comparable',
    ],
    [
      'seconds that are no number',
      part('track', (track) => ({ ...track, durationMs: 1.5 })),
      'type at body.track.durationMs, not_comparable',
    ],
  ]),
  ...faultsIn({ on: 'native', ...reviews }, [
    [
      'null for what is left out',
      part('link', (link) => ({ ...link, expiresAt: null })),
      'extra at body.link.expiresAt, regression',
    ],
  ]),
  ...faultsIn({ on: 'core', ...reviews }, [
    [
      'a moment as a number',
      part('link', (link) => ({ ...link, createdAt: 1_763_712_000_000 })),
      'type at body.link.createdAt, not_comparable',
    ],
  ]),
  ...faultsIn({ on: 'native', ...records }, [
    ['no content', status(204, ''), 'status at status, regression'],
    ['no word that it went well', fields({ ok: false }), 'value at body.ok, regression'],
  ]),
  ...faultsIn({ on: 'core', ...records }, [
    ['no content', status(204, ''), 'status at status, not_comparable'],
  ]),
  ...faultsIn(
    {
      on: 'native',
      label: 'public.split-sheets.detail',
      status: 429,
      scenario: 'rate-limits a visitor',
    },
    [['no word of when to come back', header('retry-after'), 'header at headers.retry-after, regression']],
  ),
  ...faultsIn({ on: 'native', ...shut }, [
    [
      'the word of another link',
      fields({ error: 'track_link_unavailable' }),
      'value at body.error, regression',
    ],
    [
      'a status that tells what ended',
      status(410, '{"error":"pack_link_not_found"}'),
      'status at status, regression',
    ],
  ]),
  ...faultsIn({ on: 'core', ...shut }, [
    [
      'a status that tells what ended',
      status(410, '{"error":"pack_link_not_found"}'),
      'status at status, not_comparable',
    ],
    ['a page for an error', text('<h1>Not found</h1>'), 'type at body, not_comparable'],
  ]),
]
