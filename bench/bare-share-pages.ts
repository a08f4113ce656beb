import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { drizzle } from 'drizzle-orm/postgres-js'
import { Hono } from 'hono'
import postgres from 'postgres'
import { openDatabase } from '#db/client/connection.ts'
import { findPackSharedBySlug } from '#db/queries/pack-links.ts'
import { listTracksOfPack } from '#db/queries/pack-tracks.ts'
import { findPackWithOwner } from '#db/queries/packs.ts'
import { findTrackSharedByToken } from '#db/queries/track-share-links.ts'
import { hashToken } from '#db/token-hash.ts'
import { listenOnLoopback } from './listen-on-loopback.ts'

const { DATABASE_URL = '', POOL } = process.env
const openDriverPool = () => drizzle({ client: postgres(DATABASE_URL, { max: 10 }), casing: 'snake_case' })
const db = POOL === 'gateway' ? openDatabase(DATABASE_URL).db : openDriverPool()

// The gateway's own prepared queries only: no limit, no event, no schema, no log, no metrics.
const app = new Hono()
  .get('/v1/public/track-links/:token', async (context) => {
    const track = await findTrackSharedByToken(db, hashToken(context.req.param('token')))
    return track ? context.json(track) : context.json({ error: 'track_link_unavailable' }, 404)
  })
  .get('/v1/public/pack-links/:slug', async (context) => {
    const link = await findPackSharedBySlug(db, context.req.param('slug'))
    if (!link) return context.json({ error: 'pack_link_not_found' }, 404)
    const [pack, tracks] = await Promise.all([
      findPackWithOwner(db, link.packId),
      listTracksOfPack(db, link.packId),
    ])
    return context.json({ link, pack, tracks })
  })

// Without options for TLS or HTTP/2 the adaptor creates a plain HTTP server.
const plainServer = () => createAdaptorServer({ fetch: app.fetch }) as Server

listenOnLoopback(plainServer())
