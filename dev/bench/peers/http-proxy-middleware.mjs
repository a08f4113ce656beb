import { createServer } from 'node:http'
import express from 'express'
import { createProxyMiddleware } from 'http-proxy-middleware'
import { listenOnLoopback } from '../listen-on-loopback.ts'

const app = express()
app.use(createProxyMiddleware({ target: process.env.UPSTREAM }))
listenOnLoopback(createServer(app))
