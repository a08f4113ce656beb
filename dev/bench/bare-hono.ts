import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { drizzle } from 'drizzle-orm/postgres-js'
import { Hono } from 'hono'
import postgres from 'postgres'
import { openDatabase } from '#db/client/connection.ts'
import { findLibraryForActor } from '#db/queries/libraries/libraries.ts'
import { listenOnLoopback } from './listen-on-loopback.ts'

const { DATABASE_URL = '', ACCOUNT_ID: accountId = '', POOL } = process.env
const actor = { accountId, verifiedEmail: null }
const db =
  POOL === 'gateway'
    ? openDatabase(DATABASE_URL).reader
    : drizzle({ client: postgres(DATABASE_URL, { max: 10 }), casing: 'snake_case' })

// Runs only the gateway's own prepared query: no token check, schema validation, log or metrics.
const app = new Hono().get('/v1/libraries/:libraryId', async (context) => {
  const library = await findLibraryForActor(db, context.req.param('libraryId'), actor)
  return library ? context.json(library) : context.json({ error: 'library_not_found' }, 404)
})

// Without TLS or HTTP/2 options, the adaptor creates a plain HTTP server.
const plainServer = () => createAdaptorServer({ fetch: app.fetch }) as Server

listenOnLoopback(plainServer())
