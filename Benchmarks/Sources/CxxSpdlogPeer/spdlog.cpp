#include "CxxSpdlogPeer.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/null_sink.h>
#include <spdlog/spdlog.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

static std::shared_ptr<spdlog::logger> null_logger() {
    static auto logger = std::make_shared<spdlog::logger>("bench", std::make_shared<spdlog::sinks::null_sink_mt>());
    return logger;
}
static std::shared_ptr<spdlog::logger> flushed, buffered;

void spdlog_disabled(long count) {
    auto logger = null_logger();
    logger->set_level(spdlog::level::info);
    for (long i = 0; i < count; i++) logger->debug("message {} of {}", i, count);
}

void spdlog_null(long count) {
    auto logger = null_logger();
    for (long i = 0; i < count; i++) logger->info("message {} of {}", i, count);
}

/// Stores the newest printed lines in 256 KiB, as this package does without a folder.
class memory_sink : public spdlog::sinks::base_sink<std::mutex> {
    std::vector<char> storage = std::vector<char>(256 * 1024);
    size_t position = 0;

    void sink_it_(const spdlog::details::log_msg &message) override {
        spdlog::memory_buf_t line;
        formatter_->format(message, line);
        size_t tail = std::min(line.size(), storage.size() - position);
        memcpy(storage.data() + position, line.data(), tail);
        memcpy(storage.data(), line.data() + tail, line.size() - tail);
        position = (position + line.size()) % storage.size();
    }
    void flush_() override {}
};

static std::shared_ptr<spdlog::logger> memory_logger() {
    static auto logger = std::make_shared<spdlog::logger>("bench", std::make_shared<memory_sink>());
    return logger;
}

void spdlog_memory(long count) {
    auto logger = memory_logger();
    for (long i = 0; i < count; i++) logger->info("message {} of {}", i, count);
}

void spdlog_fields(long count) {
    auto logger = memory_logger();
    for (long i = 0; i < count; i++) {
        logger->info("answered status={} user={} path={}", 200, "ada", "/api/items");
    }
}

void spdlog_open(const char *flushed_file, const char *buffered_file) {
    flushed = std::make_shared<spdlog::logger>(
        "bench", std::make_shared<spdlog::sinks::basic_file_sink_mt>(flushed_file, true));
    flushed->flush_on(spdlog::level::info);
    buffered = std::make_shared<spdlog::logger>(
        "bench", std::make_shared<spdlog::sinks::basic_file_sink_mt>(buffered_file, true));
}

void spdlog_flushed(long count) {
    for (long i = 0; i < count; i++) flushed->info("message {} of {}", i, count);
}

void spdlog_buffered(long count) {
    for (long i = 0; i < count; i++) buffered->info("message {} of {}", i, count);
}

void spdlog_flushed_by(long count, int threads) {
    std::vector<std::thread> others;
    for (int i = 1; i < threads; i++) others.emplace_back([=] { spdlog_flushed(count / threads); });
    spdlog_flushed(count - count / threads * (threads - 1));
    for (auto &other : others) other.join();
}
