import httpProxy from '@fastify/http-proxy'
import fastify from 'fastify'
import { listen } from './listen.mjs'

const app = fastify()
app.register(httpProxy, { upstream: process.env.UPSTREAM })
await app.ready()
listen(app.server)
