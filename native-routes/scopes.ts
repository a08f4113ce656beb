import { ApiError } from '#contracts/errors.ts'
import type { LibraryScope, Scope } from '#contracts/route-table.ts'
import { isId } from '#contracts/shared/primitives.ts'
import type { Queryable } from '#db/client/connection.ts'
import { hashToken } from '#db/hashes.ts'
import { lockLibrary } from '#db/queries/libraries/libraries.ts'
import { lockGrantedAccess } from '#db/queries/libraries/library-shares.ts'
import {
  findPackOwnedBy,
  lockPackForDeletion,
  lockPackOwnedBy,
  type OwnedPack,
} from '#db/queries/packs/packs.ts'
import { findSplitSheetSharedByToken } from '#db/queries/tracks/split-sheets.ts'
import { findTrackSharedByToken } from '#db/queries/tracks/track-share-links.ts'
import {
  lockTrackForDeletion,
  lockTrackOwnedBy,
  lockTrackOwnedByAny,
  type OwnedTrack,
} from '#db/queries/tracks/tracks.ts'
import {
  type LibraryOfActor,
  requireAccess,
  requireLibrary,
  requireLockedShare,
  requireShare,
} from './libraries/require-library.ts'
import { requirePackLink, type SharedPack } from './pack-links/require-pack-link.ts'
import type { Actor, ScopePorts } from './ports.ts'
import { requireOwnedTrack } from './tracks/require-track.ts'
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

interface ScopeDefinition<Found> {
  /** Finds what the actor or the visitor may use, or throws. */
  find(request: ScopeRequest, ports: ScopePorts): Promise<Found>
  /** Checks the scope again and locks the rows that grant it. A scope without this must not be written to. */
  lock?(tx: Queryable, actor: Actor, params: ScopeRequest['params'], deletes: boolean): Promise<void>
}

const ofLibrary = (scope: LibraryScope): ScopeDefinition<ScopeOf<LibraryScope>> => ({
  async find({ actor, params }, { db }) {
    const library = await requireLibrary(db.read, params.libraryId, requireActor(actor), scope)
    if (scope === 'library:party') await requireShare(db.read, library, params.shareId, requireActor(actor))
    return { library }
  },
  // Every change to a library takes this lock (`FOR NO KEY UPDATE`) first. With `FOR KEY SHARE`, two renames would
  // deadlock, because the name is part of a key.
  async lock(tx, actor, { libraryId, shareId }) {
    const library = isId(libraryId) ? await lockLibrary(tx, libraryId) : null
    if (!library) throw new ApiError('library_not_found')
    const isOwner = library.ownerId === actor.accountId
    if (scope === 'library:party') {
      const access = isOwner ? 'owner' : 'invitee'
      await requireLockedShare(tx, { id: library.id, access }, shareId, actor)
    } else if (!isOwner) {
      const access = await lockGrantedAccess(tx, library.id, actor.accountId)
      requireAccess(access ?? 'invitee', scope)
    }
  },
})

// A stranger's track or pack, a missing one and a malformed id throw the same error. The same holds for links: unknown,
// replaced, revoked and expired tokens throw it after the same query, so not even timing reveals the reason.
const scopes: { readonly [S in Scope]: ScopeDefinition<ScopeOf<S>> } = {
  track: {
    find: async ({ actor, params }, { db }) => ({
      track: await requireOwnedTrack(db.read, params.trackId, requireActor(actor)),
    }),
    // A core that finalizes a version takes `FOR NO KEY UPDATE` and then `FOR UPDATE`. It would deadlock with a change
    // that starts with `FOR KEY SHARE`. A route of one share link changes only that link.
    async lock(tx, { accountId }, { trackId, linkId }, deletes) {
      const lock = deletes ? lockTrackForDeletion : lockTrackOwnedBy
      const track =
        isId(trackId) &&
        (linkId === undefined
          ? await lock(tx, trackId, accountId)
          : await lockTrackOwnedByAny(tx, trackId, [accountId]))
      if (!track) throw new ApiError('track_not_found')
    },
  },
  pack: {
    async find({ actor, params: { packId } }, { db }) {
      const { accountId } = requireActor(actor)
      const pack = isId(packId) ? await findPackOwnedBy(db.read, packId, accountId) : null
      if (!pack) throw new ApiError('pack_not_found')
      return { pack }
    },
    async lock(tx, { accountId }, { packId }, deletes) {
      const lock = deletes ? lockPackForDeletion : lockPackOwnedBy
      if (!isId(packId) || !(await lock(tx, packId, accountId))) throw new ApiError('pack_not_found')
    },
  },
  'library:party': ofLibrary('library:party'),
  'library:viewer': ofLibrary('library:viewer'),
  'library:editor': ofLibrary('library:editor'),
  'library:admin': ofLibrary('library:admin'),
  'library:owner': ofLibrary('library:owner'),
  'link:track': {
    async find({ params }, { db }) {
      const link = await findTrackSharedByToken(db.read, hashToken(params.token ?? ''))
      if (!link) throw new ApiError('track_link_unavailable')
      return { link: { ...link, linkKind: 'track', isOwner: false } }
    },
  },
  'link:pack': {
    find: async ({ actor, params, visit }, ports) => ({
      link: await requirePackLink(params.slug ?? '', visit, actor, ports),
    }),
  },
  'link:split-sheet': {
    async find({ params }, { db }) {
      const link = await findSplitSheetSharedByToken(db.read, hashToken(params.token ?? ''))
      if (!link) throw new ApiError('split_sheet_link_not_found')
      return { link }
    },
  },
}

export const resolveScope = (
  scope: Scope,
  request: ScopeRequest,
  ports: ScopePorts,
): Promise<ScopeOf<Scope>> => scopes[scope].find(request, ports)

/**
 * Checks a scope again inside a transaction and locks the rows that grant it. Throws the same errors as `resolveScope`.
 * Packs, and the tracks of a share link's routes, are locked only against deletion (`FOR KEY SHARE`), so updates do not
 * wait. A route that deletes its scope must take `FOR UPDATE` right away, or two such requests would deadlock.
 */
export const lockScope = async (
  tx: Queryable,
  scope: Scope,
  { actor, params }: ScopeRequest,
  { deletes = false }: { readonly deletes?: boolean } = {},
) => {
  const { lock } = scopes[scope]
  if (!lock) throw new Error(`scope ${scope} cannot be locked: a route with this scope must not write`)
  await lock(tx, requireActor(actor), params, deletes)
}
