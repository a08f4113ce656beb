import { expect } from 'vitest'
import { createLibrary, insertTrackOf, shareLibrary } from '#test/support/fixtures.ts'
import { insertPackLink } from '#test/support/share-fixtures.ts'
import { insertAsset, insertStem, insertTag, insertVersion } from '#test/support/track-fixtures.ts'
import { insertOpenPack, replaceSheet, requireOk, type Site, shareWithGuest } from './places.ts'

const requestUpload = async ({ owner, trackId }: Site, kind: string, upload: object) =>
  requireOk(await owner.post(`/v1/tracks/${trackId}/${kind}/uploads`, { byteSize: 1024, ...upload }))

const insertDocument = ({ gateway, trackId }: Site, texts: Readonly<Record<string, string>>) =>
  insertAsset(gateway.database.sql, trackId, { kind: 'document', content_type: 'application/pdf', ...texts })

const recordVisit = async (site: Site, visit: object) => {
  const { id, slug } = await insertOpenPack(site)
  const path = `/v1/public/pack-links/${slug}/share-events`
  requireOk(await site.gateway.request('POST', path, { body: { eventType: 'played', ...visit } }))
  // The event is stored only after the response. Without waiting, it would look like an effect of the question.
  const { sql } = site.gateway.database
  await expect.poll(() => sql`select 1 from engagement_events where pack_id = ${id}`).toHaveLength(1)
}

const insertFailure = async ({ gateway, trackId }: Site, message: string) => {
  const { id } = await insertVersion(gateway.database.sql, trackId)
  await gateway.database.sql`
    insert into processing_stages (id, track_id, version_id, lane, status, error_code, error_message)
    values (${crypto.randomUUID()}, ${trackId}, ${id}, 'tags', 'failed', 'failed', ${message})`
}

/** Places whose text no tool returns to the model: who writes there, and how to plant a text. */
export const hiddenPlaces: Readonly<
  Record<string, { readonly by: string; readonly plant: (site: Site, text: string) => Promise<unknown> }>
> = {
  lyrics: {
    by: 'owner',
    plant: async ({ owner, trackId }, text) =>
      requireOk(await owner.put(`/v1/tracks/${trackId}/lyrics`, { text })),
  },
  'transcribed lyrics': {
    by: 'service',
    plant: ({ gateway, trackId }, text) => gateway.database.sql`
      insert into track_lyrics (track_id, text, lines, source, status)
      values (${trackId}, ${text}, ${gateway.database.sql.json([{ startMs: 0, endMs: null, text }])}, 'ai', 'ready')`,
  },
  'file name of audio': {
    by: 'owner',
    plant: (site, text) =>
      requestUpload(site, 'versions', { fileName: `${text}.wav`, contentType: 'audio/wav' }),
  },
  'file name of artwork': {
    by: 'owner',
    plant: (site, text) =>
      requestUpload(site, 'artwork', { fileName: `${text}.png`, contentType: 'image/png' }),
  },
  'title of an upload': {
    by: 'owner',
    plant: (site, title) =>
      requestUpload(site, 'documents', {
        fileName: 'a.pdf',
        contentType: 'application/pdf',
        title: title.slice(0, 200),
      }),
  },
  'file name of a document': { by: 'owner', plant: (site, file_name) => insertDocument(site, { file_name }) },
  'title of a document': { by: 'owner', plant: (site, title) => insertDocument(site, { title }) },
  'label of a tag': {
    by: 'service',
    plant: ({ gateway, trackId }, label) => insertTag(gateway.database.sql, trackId, { label, value: label }),
  },
  'label of a version': {
    by: 'owner',
    plant: ({ gateway, trackId }, label) => insertVersion(gateway.database.sql, trackId, { label }),
  },
  'name of a stem': {
    by: 'service',
    plant: ({ gateway, trackId }, kind) => insertStem(gateway.database.sql, trackId, { kind }),
  },
  'failure of the processing': { by: 'service', plant: insertFailure },
  'address of a split sheet': { by: 'owner', plant: (site, address) => replaceSheet(site, { address }) },
  'intended use of a split sheet': {
    by: 'owner',
    plant: (site, intendedUse) => replaceSheet(site, { intendedUse }),
  },
  'writer of a split sheet': {
    by: 'owner',
    plant: (site, text) => replaceSheet(site, { collaboratorId: text.slice(0, 128) }),
  },
  'writer of a sheet out of balance': {
    by: 'core',
    plant: ({ gateway, trackId }, collaboratorId) => {
      const { sql } = gateway.database
      const shares = sql.json([
        { collaboratorId, percentage: 40 },
        { collaboratorId, percentage: 40 },
      ])
      return sql`insert into split_sheets (track_id, master, writers, validated_at) values (${trackId}, ${shares}, ${shares}, now())`
    },
  },
  'description of a pack': {
    by: 'core',
    plant: (site, description) => insertOpenPack(site, { description }),
  },
  'description of a library': {
    by: 'guest',
    plant: async (site, description) => {
      const { guest, library } = await shareWithGuest(site)
      requireOk(await guest.patch(`/v1/libraries/${library.id}`, { description }))
    },
  },
  'title of a track that a guest added': {
    by: 'guest',
    plant: async (site, title) => {
      const { guest, library } = await shareWithGuest(site)
      const trackId = await insertTrackOf(site.gateway.database.sql, guest.accountId, title)
      requireOk(await guest.post(`/v1/libraries/${library.id}/tracks`, { trackId }))
    },
  },
  'name of a library of another': {
    by: 'stranger',
    plant: async ({ gateway, owner }, name) => {
      const stranger = await gateway.signUp()
      const library = await createLibrary(stranger, name.slice(0, 120))
      await shareLibrary(stranger, library, owner, 'viewer')
    },
  },
  'name of an account': {
    by: 'recipient',
    plant: async (site, name) => {
      const { guest } = await shareWithGuest(site)
      await site.gateway.database
        .sql`insert into accounts (id, email, display_name) values (${guest.accountId}, ${guest.email}, ${name})`
    },
  },
  'source of a visit': { by: 'visitor', plant: (site, source) => recordVisit(site, { source }) },
  'session of a visit': { by: 'visitor', plant: (site, sessionId) => recordVisit(site, { sessionId }) },
  'name of a revoked link': {
    by: 'core',
    plant: async (site, name) => {
      const { id } = await insertOpenPack(site)
      await insertPackLink(site.gateway.database.sql, id, { name, revokedAt: new Date() })
    },
  },
}
