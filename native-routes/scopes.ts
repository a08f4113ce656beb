import { ApiError } from '#contracts/errors.ts'
import type { LibraryScope, Scope } from '#contracts/route-table.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Reader } from '#db/client/connection.ts'
import { hashToken } from '#db/hashes.ts'
import { findPackOwnedBy, type OwnedPack } from '#db/queries/packs/packs.ts'
import { findSplitSheetSharedByToken } from '#db/queries/tracks/split-sheets.ts'
import { findTrackSharedByToken } from '#db/queries/tracks/track-share-links.ts'
import type { OwnedTrack } from '#db/queries/tracks/tracks.ts'
import { type LibraryOfActor, requireLibrary } from './libraries/require-library.ts'
import { requireShare } from './libraries/require-share.ts'
import { requirePackLink, type SharedPack } from './pack-links/require-pack-link.ts'
import type { Actor, ScopePorts } from './ports.ts'
import { requireOwnedTrack } from './tracks/require-owned-track.ts'
import type { Visit, VisitedLink } from './visits.ts'

type VisitedTrack = VisitedLink & NonNullable<Awaited<ReturnType<typeof findTrackSharedByToken>>>
type SharedSplitSheetLink = NonNullable<Awaited<ReturnType<typeof findSplitSheetSharedByToken>>>

interface Scopes {
  readonly track: { readonly track: OwnedTrack }
  readonly pack: { readonly pack: OwnedPack }
  readonly 'link:track': { readonly link: VisitedTrack }
  readonly 'link:pack': { readonly link: SharedPack }
  readonly 'link:split-sheet': { readonly link: SharedSplitSheetLink }
}

export type ScopeOf<S> = S extends keyof Scopes
  ? Scopes[S]
  : S extends LibraryScope
    ? { readonly library: LibraryOfActor }
    : unknown

export interface ScopeRequest {
  readonly actor: Actor | null
  readonly params: Readonly<Record<string, string>>
  readonly visit: Visit
}

/**
 * There is no actor only if a row with a scope or entitlement lacks the auth `actor`, which is a bug in the route
 * table.
 */
export const requireActor = (actor: Actor | null): Actor => {
  if (!actor) throw new Error('a route with this scope or an entitlement must have the auth `actor`')
  return actor
}

/**
 * Throws `pack_not_found` unless the actor owns the pack, so callers cannot tell a stranger's pack from a missing one
 * or a malformed id.
 */
const requireOwnedPack = async (
  db: Reader,
  packId: string | undefined,
  { accountId }: Actor,
): Promise<OwnedPack> => {
  const pack = isId(packId) ? await findPackOwnedBy(db, packId, accountId) : null
  if (!pack) throw new ApiError('pack_not_found')
  return pack
}

/**
 * Unknown, replaced, revoked and expired tokens all throw `track_link_unavailable` after the same query, so neither
 * response nor timing reveals the reason.
 */
const requireTrackLink = async (db: Reader, token: string): Promise<VisitedTrack> => {
  const link = await findTrackSharedByToken(db, hashToken(token))
  if (!link) throw new ApiError('track_link_unavailable')
  return { ...link, linkKind: 'track', isOwner: false }
}

const requireSplitSheetLink = async (db: Reader, token: string): Promise<SharedSplitSheetLink> => {
  const shared = await findSplitSheetSharedByToken(db, hashToken(token))
  if (!shared) throw new ApiError('split_sheet_link_not_found')
  return shared
}

const findLibraryScope = async (
  scope: LibraryScope,
  { actor, params }: ScopeRequest,
  { db }: Pick<ScopePorts, 'db'>,
) => {
  const library = await requireLibrary(db.read, params.libraryId, requireActor(actor), scope)
  if (scope === 'library:party') await requireShare(db.read, library, params.shareId, requireActor(actor))
  return { library }
}

export const resolveScope = async (scope: Scope, request: ScopeRequest, ports: ScopePorts) => {
  const { actor, params, visit } = request
  const { read } = ports.db
  switch (scope) {
    case 'track':
      return { track: await requireOwnedTrack(read, params.trackId, requireActor(actor)) }
    case 'pack':
      return { pack: await requireOwnedPack(read, params.packId, requireActor(actor)) }
    case 'link:track':
      return { link: await requireTrackLink(read, params.token ?? '') }
    case 'link:split-sheet':
      return { link: await requireSplitSheetLink(read, params.token ?? '') }
    case 'link:pack':
      return { link: await requirePackLink(params.slug ?? '', visit, actor, ports) }
    default:
      return findLibraryScope(scope, request, ports)
  }
}
