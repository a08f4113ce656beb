import { createServer } from 'node:http'
import fastGateway from 'fast-gateway'
import { listen } from './listen.mjs'

const server = createServer()
fastGateway({
  restana: { server },
  routes: [{ prefix: '/v1', prefixRewrite: '/v1', target: process.env.UPSTREAM }],
})
listen(server)
