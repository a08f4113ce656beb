import { ApiError } from '#client/index.ts'

export const catchCode = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => null,
    (caught: unknown) => caught,
  )
  return error instanceof ApiError ? error.code : `no error of the client: ${String(error)}`
}

export const poll = async <T>(read: () => Promise<T>, isExpected: (value: T) => boolean) => {
  for (let attempt = 0; ; attempt++) {
    const value = await read()
    if (isExpected(value) || attempt === 150) return value
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

export const readPart = async (url: string) => {
  const response = await fetch(url, { headers: { range: 'bytes=0-99' } })
  return (await response.arrayBuffer()).byteLength
}
