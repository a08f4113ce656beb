import type { Label } from '#contracts/route-table.ts'
import { readText } from '#shared/json.ts'

type ReadParams = Readonly<Record<string, string>>

interface PairedRead {
  readonly label: Label
  /** Path parameters to take from the write's response. Maps each parameter's name to the name of a response field. */
  readonly fromResponse?: Readonly<Record<string, string>>
  /** Set if only the core's response to the read shows the effect, because native's is a placeholder. */
  readonly fromCore?: true
}

type ReadsAfter = readonly PairedRead[] | { readonly none: string }

const onlyInAnalytics: ReadsAfter = {
  none: 'The event it records appears only in analytics, which only native serves and only the owner sees.',
}

const pairedReads: { readonly [L in Label]?: ReadsAfter } = {
  'billing.checkout': [{ label: 'billing.status' }],
  'billing.portal': { none: 'It opens a page of the billing provider and stores nothing.' },
  'billing.change-plan': [{ label: 'billing.status' }],
  'billing.cancel': [{ label: 'billing.status' }],
  'billing.resume': [{ label: 'billing.status' }],
  'tracks.create': [{ label: 'tracks.detail', fromResponse: { trackId: 'id' } }, { label: 'tracks.list' }],
  'tracks.remove': [{ label: 'tracks.detail' }, { label: 'tracks.list' }],
  'tracks.lyrics.replace': [{ label: 'tracks.lyrics.detail' }],
  'tracks.split-sheet.replace': [{ label: 'tracks.split-sheet.detail' }],
  'tracks.metadata.update': [{ label: 'tracks.detail' }],
  'tracks.processing.retry': { none: 'The analysis it starts may change the state at any moment.' },
  'tracks.download-url.issue': {
    none: 'It only records a download by the owner, which appears nowhere but in analytics.',
  },
  'tracks.versions.upload': [{ label: 'tracks.versions.list' }],
  'tracks.versions.promote': [{ label: 'tracks.versions.list' }, { label: 'tracks.detail' }],
  'tracks.versions.remove': [{ label: 'tracks.versions.list' }, { label: 'tracks.detail' }],
  'tracks.artwork.upload': [{ label: 'tracks.media-assets.list' }],
  'tracks.documents.upload': [{ label: 'tracks.media-assets.list' }],
  'tracks.uploads.finalize': [{ label: 'tracks.versions.list' }, { label: 'tracks.media-assets.list' }],
  'tracks.split-sheet.share-links.create': [
    { label: 'tracks.split-sheet.share-links.list', fromCore: true },
    { label: 'public.split-sheets.detail', fromResponse: { token: 'token' } },
  ],
  'tracks.split-sheet.share-links.revoke': [{ label: 'tracks.split-sheet.share-links.list', fromCore: true }],
  'tracks.share-links.create': [{ label: 'tracks.share-links.list' }],
  'tracks.share-links.reset': [{ label: 'tracks.share-links.list' }],
  'tracks.share-links.revoke': [{ label: 'tracks.share-links.list' }],
  'packs.links.create': [
    { label: 'packs.links.list' },
    { label: 'public.pack-links.detail', fromResponse: { slug: 'slug' } },
  ],
  'packs.links.revoke': [{ label: 'packs.links.list' }],
  'packs.invitations.create': [{ label: 'packs.invitations.list' }],
  'libraries.create': [
    { label: 'libraries.detail', fromResponse: { libraryId: 'id' } },
    { label: 'libraries.list' },
  ],
  'libraries.update': [{ label: 'libraries.detail' }, { label: 'libraries.list' }],
  'libraries.remove': [{ label: 'libraries.detail' }, { label: 'libraries.list' }],
  'libraries.tracks.add': [{ label: 'libraries.detail' }],
  'libraries.tracks.remove': [{ label: 'libraries.detail' }],
  'libraries.shares.create': [{ label: 'libraries.shares.list' }, { label: 'libraries.detail' }],
  'libraries.shares.update': [{ label: 'libraries.shares.list' }, { label: 'libraries.shared-with-me' }],
  'libraries.shares.revoke': [{ label: 'libraries.shares.list' }],
  'packs.create': [{ label: 'packs.detail', fromResponse: { packId: 'id' } }, { label: 'packs.list' }],
  'packs.update': [{ label: 'packs.detail' }, { label: 'packs.list' }],
  'packs.remove': [{ label: 'packs.detail' }, { label: 'packs.list' }],
  'packs.tracks.add': [{ label: 'packs.detail' }],
  'packs.tracks.remove': [{ label: 'packs.detail' }],
  'packs.tracks.reorder': [{ label: 'packs.detail' }],
  'pack-links.detail': onlyInAnalytics,
  'pack-links.presentation': onlyInAnalytics,
  'pack-links.share-events.record': onlyInAnalytics,
  'pack-links.playback-url.issue': onlyInAnalytics,
  'pack-links.download-url.issue': onlyInAnalytics,
  'public.pack-links.detail': onlyInAnalytics,
  'public.pack-links.share-events.record': onlyInAnalytics,
  'public.pack-links.playback-url.issue': onlyInAnalytics,
  'public.pack-links.download-url.issue': onlyInAnalytics,
  'public.track-links.detail': onlyInAnalytics,
  'public.track-links.playback-url.issue': onlyInAnalytics,
  'public.track-links.share-events.record': onlyInAnalytics,
}

export const findReadsAfter = (label: Label): ReadsAfter | undefined => pairedReads[label]

const resolveParams = (
  { fromResponse = {} }: PairedRead,
  params: ReadParams,
  body: unknown,
): ReadParams | null => {
  const resolved = { ...params }
  for (const [name, field] of Object.entries(fromResponse)) {
    const value = readText(body, field)
    if (value === null) return null
    resolved[name] = value
  }
  return resolved
}

export const listReadsAfter = (label: Label, params: ReadParams, body: unknown) => {
  const reads = findReadsAfter(label) ?? []
  if ('none' in reads) return []
  return reads.flatMap((read) => {
    const resolved = resolveParams(read, params, body)
    return resolved === null
      ? []
      : [{ label: read.label, params: resolved, fromCore: read.fromCore ?? false }]
  })
}
