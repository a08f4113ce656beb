import { createHash } from 'node:crypto'
import { createLibrary, inviteToLibrary, shareLibrary } from '#test/support/fixtures.ts'
import type { TestAccount, TestGateway } from '#test/support/gateway.ts'
import { insertPackLink } from '#test/support/share-fixtures.ts'

/** Where a text is planted: in the catalogue of an account that already has a track. */
export interface Site {
  readonly gateway: TestGateway
  readonly owner: TestAccount
  readonly trackId: string
}

interface Place {
  /** Who writes in this place. */
  readonly by: 'owner' | 'core' | 'guest' | 'recipient' | 'visitor' | 'service' | 'stranger'
  readonly plant: (site: Site, text: string) => Promise<unknown>
}

export const requireOk = ({ status, body }: { readonly status: number; readonly body: unknown }) => {
  if (status >= 300) throw new Error(`the text was not planted: ${status} ${JSON.stringify(body)}`)
}

const updateMetadata = async ({ owner, trackId }: Site, metadata: object) =>
  requireOk(await owner.patch(`/v1/tracks/${trackId}/metadata`, metadata))

export const replaceSheet = async (
  { owner, trackId }: Site,
  { collaboratorId = 'writer', ...texts }: Readonly<Record<string, string>> = {},
) => {
  const shares = [{ collaboratorId, percentage: 100 }]
  requireOk(
    await owner.put(`/v1/tracks/${trackId}/split-sheet`, { ...texts, master: shares, writers: shares }),
  )
}

export const insertOpenPack = async (
  { gateway, owner, trackId }: Site,
  {
    name = 'Harbour EP',
    description = null,
  }: { readonly name?: string; readonly description?: string | null } = {},
) => {
  const { sql } = gateway.database
  const id = crypto.randomUUID()
  await sql`insert into packs (id, owner_id, name, description) values (${id}, ${owner.accountId}, ${name}, ${description})`
  await sql`insert into pack_tracks (pack_id, track_id, position) values (${id}, ${trackId}, 0)`
  const { slug } = await insertPackLink(sql, id)
  return { id, slug }
}

/** Creates a library and a guest who may change it; returns both. */
export const shareWithGuest = async ({ gateway, owner }: Site) => {
  const [guest, library] = await Promise.all([gateway.signUp(), createLibrary(owner, 'Film pitches')])
  await shareLibrary(owner, library, guest, 'admin')
  return { guest, library }
}

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

const inviteRecipient = async ({ owner }: Site, invitee: { targetUserId: string } | { email: string }) => {
  const { id, error } = await inviteToLibrary(owner, await createLibrary(owner), invitee)
  if (!id) throw new Error(`the text was not planted: ${error}`)
}

/** Places whose text the tools return to the model. */
export const visiblePlaces = {
  'track title': { by: 'owner', plant: (site, title) => updateMetadata(site, { title }) },
  'artist name': { by: 'owner', plant: (site, artist) => updateMetadata(site, { artist }) },
  'imported title': {
    by: 'core',
    plant: ({ gateway, trackId }, title) =>
      gateway.database.sql`update tracks set title = ${title} where id = ${trackId}`,
  },
  'track link name': {
    by: 'owner',
    plant: async ({ owner, trackId }, name) =>
      requireOk(await owner.post(`/v1/tracks/${trackId}/share-links`, { name })),
  },
  'split sheet link name': {
    by: 'core',
    plant: async (site, name) => {
      await replaceSheet(site)
      const id = crypto.randomUUID()
      await site.gateway.database.sql`
        insert into split_sheet_links (id, track_id, name, token_hash, token_preview)
        values (${id}, ${site.trackId}, ${name}, ${hashOf(id)}, 'abcd')`
    },
  },
  'pack name': { by: 'core', plant: (site, name) => insertOpenPack(site, { name }) },
  'pack link name': {
    by: 'core',
    plant: async (site, name) => {
      const { id } = await insertOpenPack(site)
      await insertPackLink(site.gateway.database.sql, id, { name })
    },
  },
  'address invited to a pack': {
    by: 'core',
    plant: async (site, email) => {
      const { id } = await insertOpenPack(site)
      await site.gateway.database
        .sql`insert into pack_invitations (id, pack_id, email) values (${crypto.randomUUID()}, ${id}, ${email})`
    },
  },
  'library name': {
    by: 'guest',
    plant: async (site, name) => {
      const { guest, library } = await shareWithGuest(site)
      requireOk(await guest.patch(`/v1/libraries/${library.id}`, { name }))
    },
  },
  'account id of a recipient': {
    by: 'owner',
    plant: (site, targetUserId) => inviteRecipient(site, { targetUserId }),
  },
  'address of a recipient': { by: 'owner', plant: (site, email) => inviteRecipient(site, { email }) },
} as const satisfies Readonly<Record<string, Place>>
