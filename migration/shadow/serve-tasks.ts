import { Socket } from 'node:net'
import { deserialize } from 'node:v8'
import { describeFailure, encodeFrame, FrameReader, taskPipe } from './child-messages.ts'

/** The task is serialized separately, so that the id is readable even if the task is not. */
interface TaskMessage {
  readonly id: number
  readonly task: Buffer
}

// Not validated, because the parent is trusted and serializes tasks with this shape.
const parseMessage = (payload: Buffer) => deserialize(payload) as TaskMessage

/**
 * Runs the tasks that the parent sends to this child process, several at a time. Load everything first, because tasks
 * arrive right after this call. Results must be JSON. An error fails its task, not the process.
 */
export const serveTasks = (run: (task: unknown) => unknown): void => {
  const pipe = new Socket({ fd: taskPipe })
  const tasks = new FrameReader(Number.POSITIVE_INFINITY)
  const send = (message: object) => pipe.write(encodeFrame(Buffer.from(JSON.stringify(message))))
  const respond = async ({ id, task }: TaskMessage) => {
    try {
      send({ id, result: await run(deserialize(task)) })
    } catch (error) {
      send({ id, failure: describeFailure(error) })
    }
  }
  pipe.on('data', (chunk: Buffer) => {
    for (const payload of tasks.read(chunk)) respond(parseMessage(payload))
  })
  pipe.on('error', () => undefined)
  pipe.once('close', () => process.exit(0))
  send({ ready: true })
}
