import { answer } from '../answers.ts'
import { effects, header, id, instead, moment, pairsOf, set, token, url } from './pairs.ts'

const limited = instead(429, { error: 'analytics_rate_limited' })

const internal = instead(500, { error: 'internal_error' })

const sharedTrack = {
  link: { name: null, status: 'active', expiresAt: null, createdAt: moment(1) },
  track: {
    id: id(1),
    title: 'Night Drive',
    artist: 'The Owls',
    releaseDate: null,
    durationMs: 1000,
    artworkUrl: url('artwork/cover.png', 'aaaa'),
    artworkUrlExpiresAt: moment(9),
  },
}

export const circumstancePairs = [
  ...pairsOf('public.track-links.detail', answer(200, sharedTrack), [
    ['records the same', { both: effects('track.viewed') }],
    [
      'records nothing',
      { native: effects(), core: effects('track.viewed') },
      'effect effects.track.viewed regression unknown',
    ],
    [
      'records it twice',
      { native: effects('track.viewed', 'track.viewed'), core: effects('track.viewed') },
      'effect effects.track.viewed regression unknown',
    ],
    [
      'records what the core does not',
      { native: effects('track.played'), core: effects() },
      'effect effects.track.played regression unknown',
    ],
    [
      'records something else',
      { native: effects('track.played'), core: effects('track.viewed') },
      'effect effects.track.viewed regression unknown',
      'effect effects.track.played regression unknown',
    ],
    ['was not listened to', { core: effects('track.viewed') }],
    ['is limited', { native: limited }, 'status status not_comparable native'],
    ['is limited at the core', { core: limited }, 'status status not_comparable core'],
    ['is limited on both sides', { both: limited }],
    [
      'is limited and does not say for how long',
      { both: limited, core: header('retry-after', '5') },
      'header headers.retry-after regression unknown',
    ],
    [
      'is limited for another time',
      { both: limited, native: header('retry-after', '4'), core: header('retry-after', '5') },
    ],
    [
      'is limited and names the owner',
      { native: instead(429, { error: 'analytics_rate_limited', ownerId: 'acct_owner' }) },
      'status status not_comparable native',
      'schema body.ownerId critical native',
    ],
    ['fails on both sides', { both: internal }, 'status status not_comparable both'],
    [
      'has no core',
      { core: instead(503, { error: 'core_unavailable' }) },
      'status status not_comparable core',
    ],
    [
      'has a core that answers nonsense',
      { core: instead(502, { error: 'core_bad_response' }) },
      'status status not_comparable core',
    ],
    [
      'has a core that takes its time',
      { core: instead(504, { error: 'core_timeout' }) },
      'status status not_comparable core',
    ],
    [
      'has no database',
      { native: instead(503, { error: 'public_database_unavailable' }) },
      'status status regression unknown',
    ],
    [
      'was answered by the core',
      { native: header('x-service-core-runtime', 'proxy'), core: header('x-service-core-runtime', 'proxy') },
      'header headers.x-service-core-runtime not_comparable native',
    ],
    [
      'was answered by native twice',
      {
        native: header('x-service-core-runtime', 'native'),
        core: header('x-service-core-runtime', 'native'),
      },
      'header headers.x-service-core-runtime not_comparable core',
    ],
    [
      'is told apart by who answered',
      { native: header('x-service-core-runtime', 'native'), core: header('x-service-core-runtime', 'proxy') },
    ],
    ['is labelled otherwise', { native: header('x-service-native-route', 'public.track-links.detail') }],
    [
      'is of JSON by another name',
      { native: header('content-type', 'application/problem+json') },
      'header headers.content-type regression unknown',
    ],
    ['is of JSON, by its name alone', { native: header('content-type', 'Application/JSON') }],
    [
      'does not say what it is',
      { native: header('content-type') },
      'header headers.content-type regression unknown',
    ],
    [
      'may be kept for a minute',
      { native: header('cache-control', 'private, max-age=60') },
      'header headers.cache-control regression native',
    ],
    ['may be kept for a minute at the core', { core: header('cache-control', 'private, max-age=60') }],
    [
      'may be kept on both sides',
      { both: header('cache-control', 'public') },
      'header headers.cache-control regression native',
    ],
    ['has an etag at the core, of what nobody keeps', { core: header('etag', '"1"') }],
    ['came on another day', { native: header('date', 'Fri, 20 Nov 2026 10:00:00 GMT') }],
    ['expires', { native: set('link.expiresAt', moment(9)) }, 'type body.link.expiresAt regression unknown'],
    ['is revoked', { native: set('link.status', 'revoked') }, 'value body.link.status regression native'],
    ['shows its token', { native: set('link.token', token('A')) }, 'extra body.link.token critical native'],
    [
      'shows a token by another name',
      { native: set('link.code', token('A')) },
      'extra body.link.code critical native',
    ],
    [
      'shows whose it is',
      { native: set('track.owner_id', 'acct_owner') },
      'extra body.track.owner_id critical native',
    ],
    ['shows who looked', { native: set('visitorId', 'v1') }, 'extra body.visitorId critical native'],
  ]),
  ...pairsOf('public.track-links.detail', answer(206, undefined, { 'content-type': 'audio/wav' }), [
    [
      'can be resumed',
      { core: [header('accept-ranges', 'bytes'), header('etag', '"1"')] },
      'header headers.accept-ranges regression unknown',
      'header headers.etag regression unknown',
      'schema status regression both',
    ],
    [
      'says which part it is',
      { both: header('content-range', 'bytes 0-1/2'), native: header('content-range', 'bytes 0-1/3') },
      'schema status regression both',
    ],
  ]),
]
