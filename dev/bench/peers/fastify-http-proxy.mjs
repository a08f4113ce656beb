import httpProxy from '@fastify/http-proxy'
import fastify from 'fastify'
import { listenOnLoopback } from '../listen-on-loopback.ts'

const app = fastify()
app.register(httpProxy, { upstream: process.env.UPSTREAM })
await app.ready()
listenOnLoopback(app.server)
