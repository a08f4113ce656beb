import { demoPlans } from '../demo-plans.ts'
import { libraries } from './areas/libraries.ts'
import { libraryShares } from './areas/library-shares.ts'
import { libraryTracks } from './areas/library-tracks.ts'
import { packInvitations } from './areas/pack-invitations.ts'
import { packLinks } from './areas/pack-links.ts'
import { packTracks } from './areas/pack-tracks.ts'
import { packs } from './areas/packs.ts'
import { tracks } from './areas/tracks.ts'
import { type AuthSettings, createAuthenticate } from './authenticate.ts'
import { createApp } from './create-app.ts'
import { connect } from './database.ts'
import type { Plan } from './entitlements.ts'

export interface CoreSettings extends AuthSettings {
  readonly databaseUrl: string
  /** 0 or unset: the system chooses. */
  readonly port?: number
  /** The demo plans unless given. */
  readonly plans?: readonly Plan[]
  readonly logLevel?: string
}

interface SandboxCore {
  readonly url: string
  /** Answers what is under way, then closes the connections to clients and to the database. */
  readonly close: () => Promise<void>
}

/** Starts the legacy core on loopback. It does not wait for the database: until that is there it answers 503. */
export const startSandboxCore = async (settings: CoreSettings): Promise<SandboxCore> => {
  const sql = connect(settings.databaseUrl)
  const app = createApp({
    sql,
    authenticate: createAuthenticate(settings),
    plans: settings.plans ?? demoPlans,
    areas: [
      tracks,
      packs,
      packTracks,
      packLinks,
      packInvitations,
      libraries,
      libraryTracks,
      libraryShares,
    ],
    logLevel: settings.logLevel ?? 'error',
  })
  const url = await app.listen({ host: '127.0.0.1', port: settings.port ?? 0 })
  return {
    url,
    close: async () => {
      await app.close()
      await sql.end({ timeout: 5 })
    },
  }
}
