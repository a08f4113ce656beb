import type { Label, RowOf } from '#contracts/route-table.ts'
import type { NativeRoute } from './define-route.ts'
import type { NativeWebhook } from './define-webhook.ts'
import { createLibrary } from './libraries/create.ts'
import { showLibrary } from './libraries/detail.ts'
import { listLibraries } from './libraries/list.ts'
import { presentLibrary } from './libraries/presentation.ts'
import { removeLibrary } from './libraries/remove.ts'
import { listLibrariesSharedWithMe } from './libraries/shared-with-me.ts'
import { inviteToLibrary } from './libraries/shares.create.ts'
import { listLibraryShares } from './libraries/shares.list.ts'
import { revokeShareOfLibrary } from './libraries/shares.revoke.ts'
import { changeLibraryShare } from './libraries/shares.update.ts'
import { addTrackToLibrary } from './libraries/tracks.add.ts'
import { removeTrackFromLibrary } from './libraries/tracks.remove.ts'
import { changeLibrary } from './libraries/update.ts'

type HandlerOf<L extends Label> = RowOf<L>[2] extends 'signature' ? NativeWebhook<L> : NativeRoute<L>
type NativeLabel = { [L in Label]: RowOf<L>[3] extends 'native' ? L : never }[Label]

/**
 * The handlers by label. A `native` row must have one; any other row may have one, which then stays dark until
 * the row's word is flipped.
 */
export type Handlers = { readonly [L in NativeLabel]: HandlerOf<L> } & {
  readonly [L in Exclude<Label, NativeLabel>]?: HandlerOf<L>
}

export const handlers: Handlers = {
  'libraries.list': listLibraries,
  'libraries.create': createLibrary,
  'libraries.shared-with-me': listLibrariesSharedWithMe,
  'libraries.detail': showLibrary,
  'libraries.update': changeLibrary,
  'libraries.remove': removeLibrary,
  'libraries.presentation': presentLibrary,
  'libraries.tracks.add': addTrackToLibrary,
  'libraries.tracks.remove': removeTrackFromLibrary,
  'libraries.shares.list': listLibraryShares,
  'libraries.shares.create': inviteToLibrary,
  'libraries.shares.update': changeLibraryShare,
  'libraries.shares.revoke': revokeShareOfLibrary,
}
