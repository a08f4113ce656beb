import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { readText } from '#shared/json.ts'

/**
 * For each route that creates something, the route that removes or revokes it, and that route's path parameter for the
 * created id. Everything else is removed along with its track, pack or library.
 */
export const removals: { readonly [L in Label]?: { readonly label: Label; readonly param: string } } = {
  'libraries.create': { label: 'libraries.remove', param: 'libraryId' },
  'tracks.create': { label: 'tracks.remove', param: 'trackId' },
  'packs.create': { label: 'packs.remove', param: 'packId' },
  'packs.links.create': { label: 'packs.links.revoke', param: 'linkId' },
  'tracks.share-links.create': { label: 'tracks.share-links.revoke', param: 'linkId' },
  'tracks.split-sheet.share-links.create': {
    label: 'tracks.split-sheet.share-links.revoke',
    param: 'linkId',
  },
}

/**
 * Where to look for a resource if its creation got no response: the list route, and the field with the resource's name.
 */
export const listsOfCreations: { readonly [L in Label]?: { readonly label: Label; readonly field: string } } =
  {
    'libraries.create': { label: 'libraries.list', field: 'name' },
    'tracks.create': { label: 'tracks.list', field: 'title' },
    'packs.create': { label: 'packs.list', field: 'name' },
  }

export interface Remainder {
  readonly id: string
  readonly reason: string
}

const revokedLink = 'a link can be revoked but not deleted, so its record may remain'
const shortLink = 'a link can be revoked but not deleted, and its short link remains at the link provider'
const resetShortLink = 'no route removes the short link that a reset replaced at the link provider'
const uploadedFile = 'no route removes an uploaded file: it is deleted with its track or its upload intent'
const billingSession = 'no route closes a session at the billing provider: it expires by itself'
const changedSubscription = 'the subscription was changed at the billing provider'

/** For each route that leaves something no route can remove: the response field with its id, and why it stays. */
export const unremovable: { readonly [L in Label]?: readonly [field: string, reason: string] } = {
  'packs.links.create': ['id', revokedLink],
  'tracks.share-links.create': ['id', shortLink],
  'tracks.share-links.reset': ['id', resetShortLink],
  'tracks.split-sheet.share-links.create': ['id', revokedLink],
  'tracks.versions.upload': ['assetId', uploadedFile],
  'tracks.artwork.upload': ['assetId', uploadedFile],
  'tracks.documents.upload': ['assetId', uploadedFile],
  'tracks.processing.retry': [
    'dispatchId',
    'no route cancels an analysis: its results are deleted with its track',
  ],
  'billing.checkout': ['sessionId', billingSession],
  'billing.portal': ['sessionId', billingSession],
  'billing.change-plan': ['sessionId', changedSubscription],
  'billing.cancel': ['sessionId', changedSubscription],
  'billing.resume': ['sessionId', changedSubscription],
}

const visits = 'no route removes recorded visits and downloads: they are deleted when their retention ends'

export const findRemainder = (label: Label, body: unknown, fallbackId: string): Remainder | null => {
  const [field, reason] = unremovable[label] ?? []
  if (field !== undefined && reason !== undefined) return { id: readText(body, field) ?? fallbackId, reason }
  return rowOf(label).effects === 'events' ? { id: label, reason: visits } : null
}
