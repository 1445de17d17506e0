// Writes crates/link/src/languages/java/types.txt: the public types of the packages of the JDK that code uses most.
//
//     java xtask/src/codegen/java_types.java > crates/link/src/languages/java/types.txt     (JDK 17)
//
// A row is `Name!/parameters: bases | result=member,member`, as crates/link/src/languages/java/types.rs says.

import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

class JavaTypes {
    /** Of two types with one name, that of the first package counts. */
    static final List<String> PACKAGES = List.of(
            "java.lang", "java.util", "java.util.function", "java.util.stream", "java.util.concurrent",
            "java.util.concurrent.atomic", "java.util.concurrent.locks", "java.util.regex", "java.io", "java.nio",
            "java.nio.file", "java.nio.charset", "java.math", "java.text", "java.time", "java.net", "java.lang.reflect");

    /** What a member gives that cannot be written in a row: a type parameter, a nested type, nothing. */
    static final String UNWRITABLE = "?";

    public static void main(String[] args) throws Exception {
        for (Class<?> type : listTypes().values()) {
            System.out.println(writeRow(type));
        }
    }

    static TreeMap<String, Class<?>> listTypes() throws Exception {
        var found = new TreeMap<String, Class<?>>();
        var modules = FileSystems.getFileSystem(URI.create("jrt:/"));
        for (String name : PACKAGES) {
            List<String> files;
            try (var paths = Files.list(modules.getPath("/modules/java.base/" + name.replace('.', '/')))) {
                files = paths.map(path -> path.getFileName().toString()).sorted().toList();
            }
            for (String file : files) {
                if (!file.endsWith(".class") || file.contains("$") || file.endsWith("-info.class")) {
                    continue;
                }
                var type = Class.forName(name + "." + file.substring(0, file.length() - ".class".length()), false, null);
                if (Modifier.isPublic(type.getModifiers())) {
                    found.putIfAbsent(type.getSimpleName(), type);
                }
            }
        }
        return found;
    }

    static String writeRow(Class<?> type) {
        var row = new StringBuilder(type.getSimpleName());
        row.append(Modifier.isFinal(type.getModifiers()) ? "!" : "").append(writeFunction(type)).append(':');
        listBases(type).forEach(base -> row.append(' ').append(base));
        var members = new TreeMap<String, Set<String>>();
        // Exceptions only pass on what Throwable has.
        if (!Throwable.class.isAssignableFrom(type) || type == Throwable.class) {
            listResults(type).forEach((member, results) -> {
                if (results.size() == 1 && !results.contains(UNWRITABLE)) {
                    members.computeIfAbsent(results.iterator().next(), key -> new TreeSet<>()).add(member);
                }
            });
        }
        if (!members.isEmpty()) {
            row.append(" |");
        }
        members.forEach((result, names) -> row.append(' ').append(result).append('=').append(String.join(",", names)));
        return row.toString();
    }

    /** Of an interface with one abstract method, `/` with the number of its parameters, and `v` if it returns nothing. */
    static String writeFunction(Class<?> type) {
        if (!type.isInterface()) {
            return "";
        }
        var open = Stream.of(type.getMethods()).filter(JavaTypes::isOpen).toList();
        if (open.size() != 1) {
            return "";
        }
        return "/" + open.get(0).getParameterCount() + (open.get(0).getReturnType() == void.class ? "v" : "");
    }

    /** Whether a class has to write the method itself: all have those of Object. */
    static boolean isOpen(Method method) {
        if (!Modifier.isAbstract(method.getModifiers())) {
            return false;
        }
        try {
            Object.class.getMethod(method.getName(), method.getParameterTypes());
            return false;
        } catch (NoSuchMethodException missing) {
            return true;
        }
    }

    /** Public classes and interfaces that a type is derived from, the nearest first. */
    static Set<String> listBases(Class<?> type) {
        var bases = new LinkedHashSet<String>();
        var rest = new ArrayDeque<Class<?>>(List.of(type));
        while (!rest.isEmpty()) {
            var at = rest.poll();
            var isNamed = Modifier.isPublic(at.getModifiers()) && at.getEnclosingClass() == null;
            if (at != type && at != Object.class && isNamed) {
                bases.add(at.getSimpleName());
            }
            if (at.getSuperclass() != null) {
                rest.add(at.getSuperclass());
            }
            rest.addAll(Arrays.asList(at.getInterfaces()));
        }
        return bases;
    }

    /** What methods and static fields give, by name: several types where the overloads differ. */
    static Map<String, Set<String>> listResults(Class<?> type) {
        var results = new TreeMap<String, Set<String>>();
        for (Method method : type.getDeclaredMethods()) {
            var isSeen = has(method, Modifier.PUBLIC) || has(method, Modifier.PROTECTED);
            if (isSeen && !method.isBridge() && !method.isSynthetic()) {
                results.computeIfAbsent(method.getName(), key -> new TreeSet<>()).add(write(method.getGenericReturnType()));
            }
        }
        for (Field field : type.getDeclaredFields()) {
            if (has(field, Modifier.PUBLIC) && has(field, Modifier.STATIC)) {
                results.computeIfAbsent(field.getName(), key -> new TreeSet<>()).add(write(field.getGenericType()));
            }
        }
        return results;
    }

    static boolean has(Member member, int modifier) {
        return (member.getModifiers() & modifier) != 0;
    }

    static String write(Type type) {
        if (type instanceof ParameterizedType generic) {
            var raw = (Class<?>) generic.getRawType();
            return raw.getEnclosingClass() == null ? raw.getSimpleName() + "*" : UNWRITABLE;
        }
        if (!(type instanceof Class<?> plain) || plain == void.class || plain.getEnclosingClass() != null) {
            return UNWRITABLE;
        }
        if (plain.isArray()) {
            var element = write(plain.getComponentType());
            return element.endsWith("]") || element.endsWith("*") || element.equals(UNWRITABLE) ? UNWRITABLE : element + "[]";
        }
        return plain.getTypeParameters().length > 0 ? plain.getSimpleName() + "*" : plain.getSimpleName();
    }
}
