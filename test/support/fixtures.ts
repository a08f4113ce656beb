import type { TestDatabase } from './database.ts'
import type { TestAccount } from './gateway.ts'

type Grade = 'viewer' | 'editor' | 'admin'

/** A track of the account straight in the database, where no route can make it as wanted; answers its id. */
export const insertTrackOf = async (sql: TestDatabase['sql'], ownerId: string, title = 'Night Drive') => {
  const id = crypto.randomUUID()
  await sql`
    insert into tracks (id, owner_id, title, artist, duration_ms)
    values (${id}, ${ownerId}, ${title}, 'The Owls', 201000)`
  return id
}

/** A library of the account; answers its record. */
export const createLibrary = async (owner: TestAccount, name = 'Demos') => {
  const { body } = await owner.post('/v1/libraries', { name })
  return body
}

/** Invites somebody, by account id unless told otherwise; answers the pending share. */
export const invite = async (
  owner: TestAccount,
  library: { id: string },
  invitee: { targetUserId: string } | { email: string },
  accessType: Grade = 'viewer',
) => {
  const { body } = await owner.post(`/v1/libraries/${library.id}/shares`, { ...invitee, accessType })
  return body
}

/** Shares a library with a guest, who has accepted; answers the share. */
export const share = async (
  owner: TestAccount,
  library: { id: string },
  guest: TestAccount,
  accessType: Grade = 'viewer',
) => {
  const { id } = await invite(owner, library, { targetUserId: guest.accountId }, accessType)
  const { body } = await guest.patch(`/v1/libraries/${library.id}/shares/${id}`, { inviteStatus: 'accepted' })
  return body
}
