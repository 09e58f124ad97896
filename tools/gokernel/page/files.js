// Files in memory for Go programs in a worker, where wasm_exec.js expects those of Node.
"use strict";
(() => {
	const IDLE = 200; // milliseconds after which a program is looked at
	let next = 3, inodes = 1;
	let callbacks; // what a program has given to JavaScript, other than to the calls below
	const files = new Map([["/", folder()], ["/tmp", folder()]]); // by path
	const open = new Map(); // by descriptor
	let cwd = "/";
	const flags = {
		O_RDONLY: 0, O_WRONLY: 1, O_RDWR: 2, O_CREAT: 64, O_EXCL: 128, O_TRUNC: 512, O_APPEND: 1024, O_DIRECTORY: 65536,
	};

	function folder() { return { folder: true, data: new Uint8Array(0), size: 0, inode: inodes++, time: Date.now() }; }
	function full(path) {
		const parts = [];
		for (const part of (path.startsWith("/") ? path : cwd + "/" + path).split("/")) {
			if (part === "..") parts.pop();
			else if (part && part !== ".") parts.push(part);
		}
		return "/" + parts.join("/");
	}
	const parent = path => path.slice(0, path.lastIndexOf("/")) || "/";
	function below(path) {
		const start = path === "/" ? path : path + "/";
		return [...files.keys()].filter(name => name.startsWith(start) && name !== "/");
	}
	function fail(code) { throw Object.assign(new Error(code), { code }); }
	function find(path) { return files.get(full(path)) ?? fail("ENOENT"); }
	function handle(fd) { return open.get(fd) ?? fail("EBADF"); }
	function add(path, file) {
		if (!files.get(parent(path))?.folder) fail("ENOENT");
		files.set(path, file);
		return file;
	}
	function resize(file, size) {
		if (size > file.data.length) {
			const grown = new Uint8Array(Math.max(size, 2 * file.size));
			grown.set(file.data.subarray(0, file.size));
			file.data = grown;
		}
		if (size < file.size) file.data.fill(0, size, file.size);
		file.size = size;
		file.time = Date.now();
	}
	function stat(file) {
		return {
			isDirectory: () => !!file.folder, dev: 1, ino: file.inode, mode: file.folder ? 0o40777 : 0o100666, nlink: 1,
			uid: 0, gid: 0, rdev: 0, size: file.size, blksize: 4096, blocks: Math.ceil(file.size / 512),
			atimeMs: file.time, mtimeMs: file.time, ctimeMs: file.time,
		};
	}

	// What programs call, without the callback that gets the result.
	const calls = {
		open(path, mode) {
			path = full(path);
			let file = files.get(path);
			if (!file) {
				if (!(mode & flags.O_CREAT)) fail("ENOENT");
				file = add(path, { data: new Uint8Array(0), size: 0, inode: inodes++, time: Date.now() });
			} else if (mode & flags.O_CREAT && mode & flags.O_EXCL) fail("EEXIST");
			if (file.folder && mode & 3) fail("EISDIR");
			if (mode & flags.O_TRUNC) resize(file, 0);
			const changed = mode & (flags.O_CREAT | flags.O_TRUNC);
			open.set(next, { file, path, at: 0, append: mode & flags.O_APPEND, changed });
			return next++;
		},
		close(fd) {
			const { path, file, changed } = handle(fd);
			open.delete(fd);
			if (changed && files.get(path) === file) fs.changed(path);
			fs.closed(path);
		},
		read(fd, buffer, offset, length, position) {
			if (fd === 0) {
				const n = Math.min(length, fs.input.length);
				buffer.set(fs.input.subarray(0, n), offset);
				fs.input = fs.input.subarray(n);
				return n;
			}
			const h = handle(fd), at = position ?? h.at;
			const n = Math.max(0, Math.min(length, h.file.size - at));
			buffer.set(h.file.data.subarray(at, at + n), offset);
			if (position === null) h.at += n;
			return n;
		},
		write(fd, buffer, offset, length, position) {
			if (fd === 1 || fd === 2) return fs.writeSync(fd, buffer.subarray(offset, offset + length));
			const h = handle(fd), at = position ?? (h.append ? h.file.size : h.at);
			if (at + length > h.file.size) resize(h.file, at + length);
			h.file.data.set(buffer.subarray(offset, offset + length), at);
			if (position === null) h.at = at + length;
			h.changed = true;
			return length;
		},
		fstat(fd) { return stat(fd < 3 ? { size: 0, inode: 0, time: 0 } : handle(fd).file); },
		stat(path) { return stat(find(path)); },
		lstat(path) { return stat(find(path)); },
		mkdir(path) { files.has(full(path)) ? fail("EEXIST") : add(full(path), folder()); },
		readdir(path) {
			if (!find(path).folder) fail("ENOTDIR");
			const inside = below(full(path)).filter(name => parent(name) === full(path));
			return inside.map(name => name.slice(name.lastIndexOf("/") + 1));
		},
		unlink(path) {
			if (find(path).folder) fail("EISDIR");
			files.delete(full(path));
			fs.changed(full(path));
		},
		rmdir(path) {
			if (!find(path).folder) fail("ENOTDIR");
			if (below(full(path)).length) fail("ENOTEMPTY");
			files.delete(full(path));
		},
		rename(from, to) {
			from = full(from);
			to = full(to);
			for (const name of [from, ...below(from)]) {
				const file = find(name);
				files.delete(name);
				add(to + name.slice(from.length), file);
				fs.changed(name);
				fs.changed(to + name.slice(from.length));
			}
		},
		truncate(path, size) { resize(find(path), size); fs.changed(full(path)); },
		ftruncate(fd, size) { resize(handle(fd).file, size); handle(fd).changed = true; },
		utimes(path, _, time) { find(path).time = time * 1000; },
		readlink() { fail("EINVAL"); },
	};
	for (const name of ["fsync", "chmod", "chown", "fchmod", "fchown", "lchown"]) calls[name] = () => {};
	for (const name of ["link", "symlink"]) calls[name] = () => fail("ENOSYS");

	globalThis.fs = {
		constants: flags,
		input: new Uint8Array(0), // what programs read from stdin
		writeSync(fd, bytes) { return bytes.length; }, // what they write to stdout and stderr
		absent(path) {}, // called when a file isn't there; may return a promise to put it
		changed(path) {}, // called when a file is written, moved or removed
		closed(path) {}, // called when a file is closed
		get(path) {
			const file = files.get(path);
			return file && !file.folder ? file.data.subarray(0, file.size) : undefined;
		},
		put(path, data) {
			path = full(path);
			for (let at = parent(path); !files.has(at); at = parent(at)) files.set(at, folder());
			files.set(path, { data, size: data.length, inode: inodes++, time: Date.now() });
		},
		remove(path) { files.delete(path); },
	};
	for (const [name, call] of Object.entries(calls)) {
		fs[name] = (...args) => {
			const done = args.pop();
			const answer = (...results) => { callbacks.delete(done); done(...results); };
			let result;
			try {
				result = call(...args);
			} catch (error) {
				if (!error.code) throw error;
				const put = error.code === "ENOENT" && fs.absent(full(args[0]));
				return put ? put.then(() => fs[name](...args, done), () => answer({ code: "EIO" })) : answer(error);
			}
			answer(null, result);
		};
	}
	globalThis.process = {
		getuid: () => 0, getgid: () => 0, geteuid: () => 0, getegid: () => 0, getgroups: () => [], pid: 1, ppid: 0,
		umask: () => 0o22,
		cwd: () => cwd,
		chdir(path) {
			if (!find(path).folder) fail("ENOTDIR");
			cwd = full(path);
		},
	};
	globalThis.path = { resolve: (...parts) => full(parts.at(-1)) };

	// Runs a program, and returns its exit code. One that waits although nothing can wake it is told so: event 0 makes
	// Go's runtime report a deadlock.
	globalThis.runGo = async (module, argv, env, limit = Infinity) => {
		const go = new Go();
		go.argv = argv;
		go.env = env;
		let code = 0;
		go.exit = value => { code = value; };
		const imports = go.importObject.gojs, reset = imports["runtime.resetMemoryDataView"];
		imports["runtime.resetMemoryDataView"] = sp => { // called when memory has grown
			reset(sp);
			if (go.mem.byteLength <= limit) return;
			throw new RangeError(`out of memory: a cell has at most ${limit / 2 ** 20} MiB in a page`);
		};
		const wrapped = go._makeFuncWrapper.bind(go);
		go._makeFuncWrapper = id => {
			const callback = wrapped(id);
			callbacks.add(callback);
			return callback;
		};
		callbacks = new Set();
		const instance = await WebAssembly.instantiate(module, go.importObject);
		const watch = setInterval(() => {
			if (go.exited || go._scheduledTimeouts.size || callbacks.size) return;
			go._pendingEvent = { id: 0 };
			go._resume();
		}, IDLE);
		await go.run(instance).finally(() => {
			clearInterval(watch);
			go._scheduledTimeouts.forEach(clearTimeout); // they would wake the program
		});
		return code;
	};
})();
