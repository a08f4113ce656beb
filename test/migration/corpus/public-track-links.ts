import { recordedResponse } from '../responses.ts'
import {
  createResponsePairs,
  id,
  replaceResponse,
  setField,
  setHeader,
  timestampAt,
  token,
  url,
} from './pairs.ts'

const limited = replaceResponse(429, { error: 'analytics_rate_limited' })

const internal = replaceResponse(500, { error: 'internal_error' })

const sharedTrack = {
  link: { name: null, status: 'active', expiresAt: null, createdAt: timestampAt(1) },
  track: {
    id: id(1),
    title: 'Night Drive',
    artist: 'The Owls',
    releaseDate: null,
    durationMs: 1000,
    artworkUrl: url('artwork/cover.png', 'aaaa'),
    artworkUrlExpiresAt: timestampAt(9),
  },
}

export const publicTrackLinkPairs = [
  ...createResponsePairs('public.track-links.detail', recordedResponse(200, sharedTrack), [
    ['is rate-limited', { native: limited }, 'status status not_comparable native'],
    ['is rate-limited at the core', { core: limited }, 'status status not_comparable core'],
    ['is rate-limited on both sides', { both: limited }],
    [
      'is rate-limited without retry-after',
      { both: limited, core: setHeader('retry-after', '5') },
      'header headers.retry-after regression unknown',
    ],
    [
      'is rate-limited with a different retry-after',
      { both: limited, native: setHeader('retry-after', '4'), core: setHeader('retry-after', '5') },
    ],
    [
      'is rate-limited with a retry-after that is not in whole seconds',
      { both: limited, native: setHeader('retry-after', '4.5'), core: setHeader('retry-after', '5') },
      'header headers.retry-after regression unknown',
    ],
    [
      'is rate-limited and leaks the owner',
      { native: replaceResponse(429, { error: 'analytics_rate_limited', ownerId: 'acct_owner' }) },
      'status status not_comparable native',
      'schema body.? critical native',
    ],
    ['has status 500 on both sides', { both: internal }, 'status status not_comparable both'],
    [
      'has an unavailable core',
      { core: replaceResponse(503, { error: 'core_unavailable' }) },
      'status status not_comparable core',
    ],
    [
      'has a core with an invalid response',
      { core: replaceResponse(502, { error: 'core_bad_response' }) },
      'status status not_comparable core',
    ],
    [
      'has a core that timed out',
      { core: replaceResponse(504, { error: 'core_timeout' }) },
      'status status not_comparable core',
    ],
    [
      'has an unavailable database',
      { native: replaceResponse(503, { error: 'public_database_unavailable' }) },
      'status status regression unknown',
    ],
    [
      'was served by the core on both sides',
      {
        native: setHeader('x-service-core-runtime', 'proxy'),
        core: setHeader('x-service-core-runtime', 'proxy'),
      },
      'header headers.x-service-core-runtime not_comparable native',
    ],
    [
      'was served natively on both sides',
      {
        native: setHeader('x-service-core-runtime', 'native'),
        core: setHeader('x-service-core-runtime', 'native'),
      },
      'header headers.x-service-core-runtime not_comparable core',
    ],
    [
      'has a different runtime header on each side',
      {
        native: setHeader('x-service-core-runtime', 'native'),
        core: setHeader('x-service-core-runtime', 'proxy'),
      },
    ],
    [
      'has a different route label',
      { native: setHeader('x-service-native-route', 'public.track-links.detail') },
    ],
    [
      'has a different JSON content type',
      { native: setHeader('content-type', 'application/problem+json') },
      'header headers.content-type regression unknown',
    ],
    [
      'has a content type in a different case without parameters',
      { native: setHeader('content-type', 'Application/JSON') },
    ],
    [
      'has no content type',
      { native: setHeader('content-type') },
      'header headers.content-type regression unknown',
    ],
    [
      'may be cached for a minute',
      { native: setHeader('cache-control', 'private, max-age=60') },
      'header headers.cache-control regression native',
    ],
    ['may be cached for a minute at the core', { core: setHeader('cache-control', 'private, max-age=60') }],
    [
      'may be cached on both sides',
      { both: setHeader('cache-control', 'public') },
      'header headers.cache-control regression native',
    ],
    ['has an etag at the core for a response that is not cached', { core: setHeader('etag', '"1"') }],
    ['has a different date header', { native: setHeader('date', 'Fri, 20 Nov 2026 10:00:00 GMT') }],
    [
      'has an expiry',
      { native: setField('link.expiresAt', timestampAt(9)) },
      'type body.link.expiresAt regression unknown',
    ],
    [
      'is revoked',
      { native: setField('link.status', 'revoked') },
      'value body.link.status regression native',
    ],
    ['leaks its token', { native: setField('link.token', token('A')) }, 'extra body.link.? critical native'],
    [
      'leaks a token in a field with another name',
      { native: setField('link.code', token('A')) },
      'extra body.link.? critical native',
    ],
    [
      'leaks the owner',
      { native: setField('track.owner_id', 'acct_owner') },
      'extra body.track.? critical native',
    ],
    ['leaks the visitor', { native: setField('visitorId', 'v1') }, 'extra body.? critical native'],
  ]),
  ...createResponsePairs(
    'public.track-links.detail',
    recordedResponse(206, undefined, { 'content-type': 'audio/wav' }),
    [
      [
        'has headers for range requests at the core',
        { core: [setHeader('accept-ranges', 'bytes'), setHeader('etag', '"1"')] },
        'header headers.accept-ranges regression unknown',
        'header headers.etag regression unknown',
        'schema status regression both',
      ],
      [
        'has a different content-range',
        {
          both: setHeader('content-range', 'bytes 0-1/2'),
          native: setHeader('content-range', 'bytes 0-1/3'),
        },
        'schema status regression both',
      ],
    ],
  ),
]
