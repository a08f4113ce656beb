import { deliveryRows } from './deliveries.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Auth = 'public' | 'actor' | 'actor?' | `actor+${Feature}` | 'signature' | 'internal'
export type Feature = 'tracks.share' | 'collaborators.invite' | 'catalog.analysis'
export type Runtime = 'native' | 'native-only' | 'proxy'
export type Effects = 'none' | 'events' | 'write' | 'external'
export type LibraryScope = 'library:viewer' | 'library:editor' | 'library:admin' | 'library:owner' | 'library:party'
export type Scope = 'track' | 'pack' | LibraryScope | 'link:track' | 'link:split-sheet' | 'link:pack'

type RouteRow = readonly [method: Method, path: `/v1/${string}`, auth: Auth, runtime: Runtime, effects: Effects, scope?: Scope]

/**
 * Every route of the service. A route's label determines the file paths of its schemas, handler and test. Every
 * response names the label in `x-service-native-route`.
 *
 * - runtime: applies until a route's state is first changed (`migration/model/`). `native` is served by the gateway and
 *   may fall back to the core; `proxy` is forwarded, even if there is a handler. `native-only` is never forwarded and
 *   cannot be moved.
 * - effects: the side effects one request may have. `events` are engagement records, `write` changes rows of the shared
 *   database, `external` also changes something outside the database.
 * - scope: the resource the pipeline fetches for the actor before it validates the request. A `link` is fetched for any
 *   client that has its token, or its slug plus the access code if one is set. The scope of a `proxy` row has no effect
 *   until the route has a handler.
 */
export const routeTable = {
  // label                                   method    path                                                            auth                          runtime       effects     scope
  // Billing
  'billing.status':                          ['GET',    '/v1/billing/status',                                             'actor',                       'native',      'none'],
  'billing.checkout':                        ['POST',   '/v1/billing/checkout',                                           'actor',                       'native',      'external'],
  'billing.portal':                          ['POST',   '/v1/billing/portal',                                             'actor',                       'native',      'external'],
  'billing.change-plan':                     ['POST',   '/v1/billing/change-plan',                                        'actor',                       'native',      'external'],
  'billing.cancel':                          ['POST',   '/v1/billing/cancel',                                             'actor',                       'native',      'external'],
  'billing.resume':                          ['POST',   '/v1/billing/resume',                                             'actor',                       'native',      'external'],

  // Tracks: sub-resources
  'tracks.tags.detail':                      ['GET',    '/v1/tracks/:trackId/tags',                                       'actor',                       'native',      'none',     'track'],
  'tracks.peaks.detail':                     ['GET',    '/v1/tracks/:trackId/peaks',                                      'actor',                       'native',      'none',     'track'],
  'tracks.rights.detail':                    ['GET',    '/v1/tracks/:trackId/rights',                                     'actor',                       'native',      'none',     'track'],
  'tracks.lyrics.detail':                    ['GET',    '/v1/tracks/:trackId/lyrics',                                     'actor',                       'native',      'none',     'track'],
  'tracks.lyrics.replace':                   ['PUT',    '/v1/tracks/:trackId/lyrics',                                     'actor',                       'native',      'write',    'track'],
  'tracks.stems.list':                       ['GET',    '/v1/tracks/:trackId/stems',                                      'actor',                       'native',      'none',     'track'],
  'tracks.versions.list':                    ['GET',    '/v1/tracks/:trackId/versions',                                   'actor',                       'native',      'none',     'track'],
  'tracks.media-assets.list':                ['GET',    '/v1/tracks/:trackId/media-assets',                               'actor',                       'native',      'none',     'track'],
  'tracks.split-sheet.detail':               ['GET',    '/v1/tracks/:trackId/split-sheet',                                'actor',                       'native',      'none',     'track'],
  'tracks.split-sheet.replace':              ['PUT',    '/v1/tracks/:trackId/split-sheet',                                'actor',                       'native',      'write',    'track'],
  'tracks.metadata.update':                  ['PATCH',  '/v1/tracks/:trackId/metadata',                                   'actor',                       'native',      'write',    'track'],

  // Tracks: signed URLs, processing, uploads, versions
  'tracks.playback-url.issue':               ['GET',    '/v1/tracks/:trackId/playback-url',                               'actor',                       'native',      'none',     'track'],
  'tracks.download-url.issue':               ['GET',    '/v1/tracks/:trackId/download-url',                               'actor',                       'native',      'events',   'track'],
  'tracks.processing.status':                ['GET',    '/v1/tracks/:trackId/processing-status',                          'actor',                       'native',      'none',     'track'],
  'tracks.processing.retry':                 ['POST',   '/v1/tracks/:trackId/processing/media-intelligence/retry',        'actor',                       'native',      'external', 'track'],
  'tracks.versions.upload':                  ['POST',   '/v1/tracks/:trackId/versions/uploads',                           'actor',                       'native',      'external', 'track'],
  'tracks.versions.promote':                 ['POST',   '/v1/tracks/:trackId/versions/:versionId/promote',                'actor',                       'native',      'external', 'track'],
  'tracks.versions.remove':                  ['DELETE', '/v1/tracks/:trackId/versions/:versionId',                        'actor',                       'native',      'external', 'track'],
  'tracks.artwork.upload':                   ['POST',   '/v1/tracks/:trackId/artwork/uploads',                            'actor',                       'native',      'external', 'track'],
  'tracks.documents.upload':                 ['POST',   '/v1/tracks/:trackId/documents/uploads',                          'actor',                       'native',      'external', 'track'],
  'tracks.uploads.finalize':                 ['POST',   '/v1/tracks/:trackId/uploads/:uploadId/finalize',                 'actor',                       'native',      'external', 'track'],

  // Tracks: share links and split-sheet review links
  'tracks.share-links.list':                 ['GET',    '/v1/tracks/:trackId/share-links',                                'actor',                       'native',      'none',     'track'],
  'tracks.share-links.create':               ['POST',   '/v1/tracks/:trackId/share-links',                                'actor+tracks.share',          'native',      'write',    'track'],
  'tracks.share-links.reset':                ['POST',   '/v1/tracks/:trackId/share-links/:linkId/reset',                  'actor+tracks.share',          'native',      'write',    'track'],
  'tracks.share-links.revoke':               ['DELETE', '/v1/tracks/:trackId/share-links/:linkId',                        'actor',                       'native',      'write',    'track'],
  'tracks.split-sheet.share-links.list':     ['GET',    '/v1/tracks/:trackId/split-sheet/share-links',                    'actor',                       'native',      'none',     'track'],
  'tracks.split-sheet.share-links.create':   ['POST',   '/v1/tracks/:trackId/split-sheet/share-links',                    'actor',                       'proxy',       'write',    'track'],
  'tracks.split-sheet.share-links.revoke':   ['DELETE', '/v1/tracks/:trackId/split-sheet/share-links/:linkId',            'actor',                       'proxy',       'write',    'track'],

  // Pack links
  'pack-links.detail':                       ['GET',    '/v1/pack-links/:slug',                                           'actor?',                      'native',      'events',   'link:pack'],
  'pack-links.presentation':                 ['GET',    '/v1/pack-links/:slug/presentation',                              'actor?',                      'native',      'events',   'link:pack'],
  'pack-links.share-events.record':          ['POST',   '/v1/pack-links/:slug/share-events',                              'actor?',                      'native',      'events',   'link:pack'],
  'pack-links.playback-url.issue':           ['GET',    '/v1/pack-links/:slug/tracks/:trackId/playback-url',              'actor?',                      'native',      'events',   'link:pack'],
  'pack-links.download-url.issue':           ['GET',    '/v1/pack-links/:slug/tracks/:trackId/download-url',              'actor?',                      'native',      'events',   'link:pack'],

  // Public
  'public.pack-links.detail':                ['GET',    '/v1/public/pack-links/:slug',                                    'public',                      'native',      'events',   'link:pack'],
  'public.pack-links.share-events.record':   ['POST',   '/v1/public/pack-links/:slug/share-events',                       'public',                      'native',      'events',   'link:pack'],
  'public.pack-links.playback-url.issue':    ['GET',    '/v1/public/pack-links/:slug/tracks/:trackId/playback-url',       'public',                      'native',      'events',   'link:pack'],
  'public.pack-links.download-url.issue':    ['GET',    '/v1/public/pack-links/:slug/tracks/:trackId/download-url',       'public',                      'native',      'events',   'link:pack'],
  'public.track-links.detail':               ['GET',    '/v1/public/track-links/:token',                                  'public',                      'native',      'events',   'link:track'],
  'public.track-links.playback-url.issue':   ['GET',    '/v1/public/track-links/:token/playback-url',                     'public',                      'native',      'events',   'link:track'],
  'public.track-links.share-events.record':  ['POST',   '/v1/public/track-links/:token/share-events',                     'public',                      'native',      'events',   'link:track'],
  'public.split-sheets.detail':              ['GET',    '/v1/public/split-sheets/:token',                                 'public',                      'native',      'none',     'link:split-sheet'],

  // Libraries
  'libraries.list':                          ['GET',    '/v1/libraries',                                                  'actor',                       'native',      'none'],
  'libraries.create':                        ['POST',   '/v1/libraries',                                                  'actor',                       'native',      'write'],
  'libraries.shared-with-me':                ['GET',    '/v1/libraries/shared-with-me',                                   'actor',                       'native',      'none'],
  'libraries.detail':                        ['GET',    '/v1/libraries/:libraryId',                                       'actor',                       'native',      'none',     'library:viewer'],
  'libraries.update':                        ['PATCH',  '/v1/libraries/:libraryId',                                       'actor',                       'native',      'write',    'library:admin'],
  'libraries.remove':                        ['DELETE', '/v1/libraries/:libraryId',                                       'actor',                       'native',      'write',    'library:owner'],
  'libraries.presentation':                  ['GET',    '/v1/libraries/:libraryId/presentation',                          'actor',                       'native',      'none',     'library:viewer'],
  'libraries.tracks.add':                    ['POST',   '/v1/libraries/:libraryId/tracks',                                'actor',                       'native',      'write',    'library:editor'],
  'libraries.tracks.remove':                 ['DELETE', '/v1/libraries/:libraryId/tracks/:trackId',                       'actor',                       'native',      'write',    'library:editor'],
  'libraries.shares.list':                   ['GET',    '/v1/libraries/:libraryId/shares',                                'actor',                       'native',      'none',     'library:owner'],
  'libraries.shares.create':                 ['POST',   '/v1/libraries/:libraryId/shares',                                'actor+collaborators.invite',  'native',      'write',    'library:owner'],
  'libraries.shares.update':                 ['PATCH',  '/v1/libraries/:libraryId/shares/:shareId',                       'actor',                       'native',      'write',    'library:party'],
  'libraries.shares.revoke':                 ['DELETE', '/v1/libraries/:libraryId/shares/:shareId',                       'actor',                       'native',      'write',    'library:owner'],

  // Native-only; the rows of signed deliveries (`webhooks.*`, `media-intelligence.callback`) come from `deliveries.ts`
  ...deliveryRows,
  'analytics.overview':                      ['GET',    '/v1/analytics/overview',                                         'actor',                       'native-only', 'none'],
  'analytics.packs.detail':                  ['GET',    '/v1/analytics/packs/:packId',                                    'actor',                       'native-only', 'none',     'pack'],
  'analytics.tracks.detail':                 ['GET',    '/v1/analytics/tracks/:trackId',                                  'actor',                       'native-only', 'none',     'track'],
  'analytics.events.list':                   ['GET',    '/v1/analytics/events',                                           'actor',                       'native-only', 'none'],
  'internal.media-dispatches.list':          ['GET',    '/v1/internal/media-dispatches/drain-eligible',                   'internal',                    'native-only', 'none'],
  'catalog-analysis.ask':                    ['POST',   '/v1/catalog-analysis',                                           'actor+catalog.analysis',      'native-only', 'external'],
  'catalog-analysis.threads.list':           ['GET',    '/v1/catalog-analysis/threads',                                   'actor',                       'native-only', 'none'],
  'catalog-analysis.threads.detail':         ['GET',    '/v1/catalog-analysis/threads/:threadId',                         'actor',                       'native-only', 'none'],
  'catalog-analysis.threads.remove':         ['DELETE', '/v1/catalog-analysis/threads/:threadId',                         'actor',                       'native-only', 'write'],

  // Moved step by step: most of these have handlers, and the core serves each until an operator moves it (docs/moving-a-route.md)
  'tracks.list':                             ['GET',    '/v1/tracks',                                                     'actor',                       'proxy',       'none'],
  'tracks.create':                           ['POST',   '/v1/tracks',                                                     'actor',                       'proxy',       'write'],
  'tracks.detail':                           ['GET',    '/v1/tracks/:trackId',                                            'actor',                       'proxy',       'none',     'track'],
  'tracks.remove':                           ['DELETE', '/v1/tracks/:trackId',                                            'actor',                       'proxy',       'write',    'track'],
  'packs.list':                              ['GET',    '/v1/packs',                                                      'actor',                       'proxy',       'none'],
  'packs.create':                            ['POST',   '/v1/packs',                                                      'actor',                       'proxy',       'write'],
  'packs.detail':                            ['GET',    '/v1/packs/:packId',                                              'actor',                       'proxy',       'none',     'pack'],
  'packs.update':                            ['PATCH',  '/v1/packs/:packId',                                              'actor',                       'proxy',       'write',    'pack'],
  'packs.remove':                            ['DELETE', '/v1/packs/:packId',                                              'actor',                       'proxy',       'write',    'pack'],
  'packs.tracks.add':                        ['POST',   '/v1/packs/:packId/tracks',                                       'actor',                       'proxy',       'write',    'pack'],
  'packs.tracks.remove':                     ['DELETE', '/v1/packs/:packId/tracks/:trackId',                              'actor',                       'proxy',       'write',    'pack'],
  'packs.tracks.reorder':                    ['PUT',    '/v1/packs/:packId/tracks/order',                                 'actor',                       'proxy',       'write',    'pack'],
  'packs.links.list':                        ['GET',    '/v1/packs/:packId/links',                                        'actor',                       'proxy',       'none',     'pack'],
  'packs.links.create':                      ['POST',   '/v1/packs/:packId/links',                                        'actor',                       'proxy',       'write',    'pack'],
  'packs.links.revoke':                      ['DELETE', '/v1/packs/:packId/links/:linkId',                                'actor',                       'proxy',       'write',    'pack'],
  'packs.invitations.list':                  ['GET',    '/v1/packs/:packId/invitations',                                  'actor',                       'proxy',       'none',     'pack'],
  'packs.invitations.create':                ['POST',   '/v1/packs/:packId/invitations',                                  'actor',                       'proxy',       'external', 'pack'],
} as const satisfies Record<string, RouteRow>

export type Label = keyof typeof routeTable
export type RowOf<L extends Label> = (typeof routeTable)[L]

/** Paths at or below these are never forwarded to the core, in any encoding or letter case. `*` matches any suffix. */
export const nativeOnlyPrefixes = [
  '/v1/analytics*',
  '/v1/catalog-analysis',
  '/v1/webhooks',
  '/v1/media-intelligence/callback',
  '/v1/internal',
] as const
