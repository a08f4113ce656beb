import { createServer } from 'node:http'
import fastGateway from 'fast-gateway'
import { listenOnLoopback } from '../listen-on-loopback.ts'

const server = createServer()
fastGateway({
  restana: { server },
  routes: [{ prefix: '/v1', prefixRewrite: '/v1', target: process.env.UPSTREAM }],
})
listenOnLoopback(server)
