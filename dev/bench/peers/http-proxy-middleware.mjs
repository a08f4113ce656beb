import { createServer } from 'node:http'
import express from 'express'
import { createProxyMiddleware } from 'http-proxy-middleware'
import { listen } from './listen.mjs'

const app = express()
app.use(createProxyMiddleware({ target: process.env.UPSTREAM }))
listen(createServer(app))
