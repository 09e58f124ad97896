// Completion and documentation by the look of the text: nothing is compiled, and of scopes only the latest declaration
// of a name counts. Symbols are those that build has written; see documented in docs.go.
const TOKEN = new RegExp([
	/\/\/.*|\/\*[^]*?(?:\*\/|$)/, // comments
	/`[^`]*(?:`|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?/,
	/[\p{L}_][\p{L}\p{N}_]*|\d[\w.]*|[:=!<>+*\/-]=|\S/,
].map(part => part.source).join("|"), "gu");
const WORD = /[\p{L}_][\p{L}\p{N}_]*$/u;
const PAIRS = { ")": "(", "]": "[", "}": "{" };
const element = type => type?.match(/^\[\](.*)/)?.[1];
const isWord = token => /^[\p{L}_]/u.test(token ?? "");

class Text {
	// Docs are symbols by package, packages their paths by the name in cells, and kept what earlier cells have declared.
	constructor(text, docs, packages, kept) {
		this.scope = {};
		this.docs = { ...docs, "": { members: this.scope } };
		this.packages = packages;
		this.tokens = `${kept}\n${text}`.match(TOKEN)?.filter(token => !/^\/[/*]/.test(token)) ?? [];
		for (let i = 0; i < this.tokens.length; i++) this.#declare(i);
	}

	at(i) { return this.tokens.at(i); }

	#set(name, kind, text, type) {
		const of = kind === "instance" && type ? ` ${type.replace(/[^\]]*[/]|^\./, "")}` : "";
		if (type || !this.scope[name]) this.scope[name] = { kind, text: text + of, type };
	}

	#declare(i) {
		const token = this.at(i), next = this.at(i + 1);
		if (token === "func" && isWord(next)) {
			this.#set(next, "function", `func ${next}`, this.#type(this.#after(i + 2)));
		} else if ((token === "type" || token === "const") && isWord(next)) {
			this.#set(next, token === "type" ? "class" : "constant", `${token} ${next}`);
		} else if (token === ":=" || token === "=") {
			const names = this.#names(i - 1), ranges = next === "range";
			const value = this.symbol(ranges ? i + 2 : i + 1);
			names.forEach((name, k) => {
				const type = ranges ? k ? element(value?.type) : "" : k ? value?.more?.[k - 1] : value?.type;
				this.#set(name, "instance", `var ${name}`, type);
			});
		} else if (["var", "(", ","].includes(token) && isWord(next)) {
			const type = this.#type(i + 2);
			if (type || token === "var") this.#set(next, "instance", `var ${next}`, type);
		}
	}

	// Return the names of the list that ends at i.
	#names(i) {
		const names = [];
		for (; isWord(this.at(i)) && this.at(i - 1) !== "."; i -= 2) {
			names.unshift(this.at(i));
			if (this.at(i - 1) !== ",") break;
		}
		return names;
	}

	// Return the type that is written at i, if it is known.
	#type(i) {
		if (this.at(i) === "[" && this.at(i + 1) === "]") {
			const element = this.#type(i + 2);
			return element && `[]${element}`;
		}
		if (["*", "("].includes(this.at(i))) i++;
		const path = this.at(i + 1) === "." ? this.packages[this.at(i)] : "";
		const name = path ? this.at(i + 2) : this.at(i);
		return this.docs[path]?.members[name]?.kind === "class" ? `${path}.${name}` : undefined;
	}

	// Return where what follows the brackets at i begins.
	#after(i) {
		for (let depth = 0; i < this.tokens.length; i++) {
			if ("([{".includes(this.at(i))) depth++;
			if (")]}".includes(this.at(i)) && --depth <= 0) return i + 1;
		}
		return i;
	}

	// Return the bracket that is open before i, or -1.
	open(i = this.tokens.length) {
		for (let depth = 0; --i >= 0;) {
			if (PAIRS[this.at(i)]) depth++;
			if ("([{".includes(this.at(i)) && --depth < 0) break;
		}
		return i;
	}

	// Return where the operand begins that ends before i.
	begin(i) {
		for (;;) {
			while (PAIRS[this.at(i - 1)]) i = this.open(i - 1);
			if (!isWord(this.at(i - 1))) return i;
			i--;
			if (this.at(i - 1) !== ".") return i;
			i--;
		}
	}

	// Return the symbol that the operand at i means, or a value with its type.
	symbol(i) {
		while (["&", "*"].includes(this.at(i))) i++;
		if (this.at(i) === "[") {
			const type = this.#type(i);
			return type && { kind: "instance", type };
		}
		const name = this.at(i);
		let found = this.scope[name] ?? this.docs[this.packages[name]];
		let itself = this.scope[name] && `.${name}`;
		for (i++; found && i < this.tokens.length;) {
			const token = this.at(i);
			if (token === "." && isWord(this.at(i + 1))) {
				itself = found.kind === "module" ? `${this.packages[name]}.${this.at(i + 1)}` : undefined;
				found = this.members(found)[this.at(i + 1)];
				i += 2;
			} else if (token === "(" || token === "{" && found.kind === "class") {
				if (found.type === "T") found = this.symbol(i + 1);
				else found = { ...found, kind: "instance", text: "", ...found.kind === "class" ? { type: itself } : {} };
				i = this.#after(i);
			} else if (token === "[") {
				if (found.kind !== "function") found = { kind: "instance", type: element(found.type) };
				i = this.#after(i);
			} else break;
		}
		return found;
	}

	// Return what stands after a symbol's dot, by name.
	members(symbol) {
		if (symbol?.kind === "module") return symbol.members;
		const type = symbol?.kind === "class" ? "" : symbol?.type ?? "", dot = type.lastIndexOf(".");
		const { type: alias, members = {} } = this.docs[type.slice(0, Math.max(dot, 0))]?.members[type.slice(dot + 1)] ?? {};
		const inner = Object.values(members).filter(member => member.embedded).concat(alias ? { type: alias } : []);
		return Object.assign({}, ...inner.map(member => this.members({ type: member.type })), members);
	}

	// Return the fields that the braces around the end of the text take there, by name.
	fields() {
		const entries = Object.entries(this.members({ type: "{,".includes(this.at(-1)) ? this.#literal(this.open()) : "" }));
		return Object.fromEntries(entries.filter(([, { kind }]) => kind === "property"));
	}

	#literal(open) {
		if (this.at(open) !== "{" || open < 1) return undefined;
		if ("{,".includes(this.at(open - 1))) return element(this.#literal(this.open(open)));
		let i = open - 1;
		if (this.at(i - 1) === ".") i -= 2;
		return this.#type(this.at(i - 1) === "]" && this.at(i - 2) === "[" ? i - 2 : i);
	}
}

// Whether the text ends in a comment or a string.
function isQuoted(text) {
	const last = text.match(TOKEN)?.at(-1) ?? "";
	return text.endsWith(last) && (/^\/\//.test(last) || /^\/\*/.test(last) && !/.\*\/$/.test(last) ||
		/^["'`]/.test(last) && (last.length < 2 || last.at(-1) !== last[0]));
}

// Return the names that the word before the cursor may become, with their kinds and declarations, and where it begins.
export function complete(code, cursor, docs, packages, kept) {
	const before = code.slice(0, cursor), start = before.match(WORD)?.index ?? cursor;
	if (isQuoted(before)) return { start, matches: [] };
	const text = new Text(code.slice(0, start), docs, packages, kept);
	const starting = symbols => Object.entries(symbols)
		.filter(([name]) => name.toLowerCase().startsWith(code.slice(start, cursor).toLowerCase()))
		.map(([name, { kind, text }]) => ({ text: name, kind, signature: text }))
		.sort((a, b) => a.text < b.text ? -1 : 1);
	if (text.at(-1) === ".") {
		text.tokens.pop();
		return { start, matches: starting(text.members(text.symbol(text.begin(text.tokens.length)))) };
	}
	const fields = starting(text.fields());
	if (fields.length) return { start, matches: fields };
	const named = Object.entries(packages).map(([name, path]) => [name, docs[path]]).filter(([, symbol]) => symbol);
	return { start, matches: starting({ ...Object.fromEntries(named), ...text.scope }) };
}

// Return the declaration and the first sentence of the documentation, in Markdown, of what stands at the cursor or of
// the function whose arguments stand there; or nothing.
export function inspect(code, cursor, docs, packages, kept) {
	const word = /^[\p{L}\p{N}_]*/u, end = cursor + code.slice(cursor).match(word)[0].length;
	const start = code.slice(0, end).match(WORD)?.index;
	let found;
	if (start !== undefined) found = new Text(code.slice(0, start), docs, packages, kept).fields()[code.slice(start, end)];
	const text = new Text(code.slice(0, end), docs, packages, kept);
	if (start === undefined) text.tokens.splice(Math.max(text.open(), 0));
	found ??= text.symbol(text.begin(text.tokens.length));
	if (!found?.text) return undefined;
	const fields = Object.values(found.members ?? {}).filter(({ kind }) => kind === "property");
	const inside = fields.map(({ text, doc }) => `\n\t${text}${doc ? " // " + doc : ""}`).join("");
	return `\`\`\`go\n${found.text}${inside && ` {${inside}\n}`}\n\`\`\`\n\n${found.doc ?? ""}`;
}
